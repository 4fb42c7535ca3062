import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPayloads, readWorking } from '../payload.js';
import { payload } from './made.js';

test('a payload is read with its findings, measures and the parameters that the notebook changed', () => {
  const { payloads, newer } = readPayloads([payload('group_bias')]);
  assert.equal(newer.length, 0);
  assert.equal(payloads.length, 1);
  const [read] = payloads;
  assert.equal(read.section, 'group_bias');
  assert.deepEqual(read.changed, ['threshold']);
  assert.deepEqual(read.findings, [{ severity: 'high', statement: 'A difference.', requirement: 5 }]);
  assert.equal(read.measures[0].value, 0.25);
  assert.equal(read.measures[0].low, null);
  assert.equal(read.measures[0].status, 'ok');
});

test('results of a later schema are named and not read', () => {
  const { payloads, newer } = readPayloads([{ ...payload('swap'), schema: 'fairnb.result/2' }]);
  assert.deepEqual([payloads, newer], [[], [2]]);
});

test('whatever has another shape is left out', () => {
  for (const value of [null, 'text', 7, {}, [null], ['x'], [{ schema: 'fairnb.result/1' }], [[]]]) {
    assert.deepEqual(readPayloads(value), { payloads: [], newer: [] });
  }
  const odd = payload('swap') as { content: { result: Record<string, unknown> } };
  odd.content.result = { findings: 'none', measures: [3, { value: 'NaN', measure: {} }] };
  const [read] = readPayloads([odd]).payloads;
  assert.deepEqual(read.findings, []);
  assert.deepEqual(
    read.measures.map(row => [row.measure, row.value]),
    [
      ['', null],
      ['', null]
    ]
  );
});

test('a word of the controls on a run is read, and any other message of a widget is not', () => {
  const said = (state: unknown): unknown => ({
    comm_id: 'c',
    data: { method: 'custom', content: { fairnb: { section: 'swap', state } } }
  });
  assert.deepEqual(readWorking(said('running')), { section: 'swap', state: 'running' });
  assert.deepEqual(readWorking(said('queued')), { section: 'swap', state: 'queued' });
  assert.deepEqual(readWorking(said('fresh')), { section: 'swap', state: null });
  assert.equal(readWorking({ data: { method: 'update', state: { value: 1 } } }), null);
  assert.equal(readWorking({ data: { method: 'custom', content: { fairnb: 'swap' } } }), null);
  assert.equal(readWorking(null), null);
});
