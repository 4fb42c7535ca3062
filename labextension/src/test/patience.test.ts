import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError, untilEnd } from '../patience.js';

type Seen = 'running' | 'done' | Error;

/** Looks that see these one after another; how many there were. */
function waiting(...seen: Seen[]): { end: Promise<Seen>; looks: () => number } {
  let looks = 0;
  const look = async (): Promise<Seen> => {
    const now = seen[looks++] ?? 'done';
    if (now instanceof Error) {
      throw now;
    }
    return now;
  };
  const end = untilEnd<Seen>('running', now => now === 'running', look, () => Promise.resolve());
  return { end, looks: () => looks };
}

const hiccups = (count: number): Error[] =>
  Array.from({ length: count }, (_, number) =>
    number % 2 ? new TypeError('Failed to fetch') : new StatusError('Bad Gateway', 502)
  );

test('a few failed looks are no end, as often as they come', async () => {
  const { end, looks } = waiting(...hiccups(5), 'running', ...hiccups(5), 'done');
  assert.equal(await end, 'done');
  assert.equal(looks(), 12);
});

test('after more of them in a row, it is said that nobody answers', async () => {
  const { end, looks } = waiting(...hiccups(9));
  await assert.rejects(end, { message: 'The server does not answer; the job may still run.' });
  assert.equal(looks(), 6);
});

test('a job that is not there, or not for us, ends the wait at once', async () => {
  for (const status of [403, 404]) {
    const { end, looks } = waiting(new StatusError('there is no such job', status));
    await assert.rejects(end, { message: 'there is no such job' });
    assert.equal(looks(), 1);
  }
});

test('a server that asks for patience gets it', async () => {
  assert.equal(await waiting(new StatusError('Too Many Requests', 429), 'done').end, 'done');
});

test('what has ended is not looked at', async () => {
  const seen = await untilEnd(
    'done',
    now => now === 'running',
    () => assert.fail(),
    () => assert.fail()
  );
  assert.equal(seen, 'done');
});
