import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ISignal } from '@lumino/signaling';
import { emitOn, untilRun } from '../outcome.js';

async function ended(ran: Promise<boolean>): Promise<[boolean, string[]]> {
  const said: string[] = [];
  const goesOn = await untilRun(ran, 'Bias by group [4]', words => said.push(words));
  return [goesOn, said];
}

test('a cell that ran, or was cancelled, tells nothing', async () => {
  assert.deepEqual(await ended(Promise.resolve(true)), [true, []]);
  assert.deepEqual(await ended(Promise.resolve(false)), [false, []]);
});

test('what the cell itself failed at stands below it and is not told again', async () => {
  const failed = Promise.reject(new Error('KernelReplyNotOK: ZeroDivisionError: division by zero'));
  assert.deepEqual(await ended(failed), [false, []]);
});

test('anything else is one sentence, and the rest does not begin', async () => {
  const lost = new Error('Cannot send message: the kernel is gone.');
  assert.deepEqual(await ended(Promise.reject(lost)), [
    false,
    ['Bias by group [4] could not be run (Cannot send message: the kernel is gone); no cell behind it was begun.']
  ]);
  assert.deepEqual(await ended(Promise.reject('no words')), [
    false,
    ['Bias by group [4] could not be run (no words); no cell behind it was begun.']
  ]);
});

test('listeners of a signal hear what is emitted on it', () => {
  const heard: number[] = [];
  const signal = { emit: (args: number) => heard.push(args) } as unknown as ISignal<unknown, number>;
  emitOn(signal, 7);
  assert.deepEqual(heard, [7]);
  emitOn({} as ISignal<unknown, number>, 8);
});
