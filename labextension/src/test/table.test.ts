import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCsv } from '../csv.js';
import { IMeasure } from '../payload.js';
import { order, scale, shown } from '../rows.js';

function measure(changes: Partial<IMeasure>): IMeasure {
  return {
    measure: 'gap',
    attribute: '',
    subgroup: '',
    reference: '',
    label: '',
    variant: '',
    value: null,
    low: null,
    high: null,
    nothing: null,
    n: null,
    status: 'ok',
    note: '',
    ...changes
  };
}

test('what a spreadsheet would run becomes a text', () => {
  for (const start of ['=', '+', '-', '@', '\t=', ' =']) {
    const [, row] = toCsv([measure({ subgroup: `${start}cmd` })]).split('\r\n');
    assert.equal(row.split(',')[2].startsWith(`'${start}`), true, row);
  }
  const [, numbers] = toCsv([measure({ value: -0.25, low: -0.5 })]).split('\r\n');
  assert.deepEqual(numbers.split(',').slice(6, 8), ['-0.25', '-0.5']);
});

test('commas, quotes and line ends are quoted', () => {
  const text = toCsv([measure({ note: 'a "word", and\nmore' })]);
  assert.match(text, /,"a ""word"", and\nmore"\r\n$/);
});

test('rows without a value come last, whichever way the others go', () => {
  const rows = [measure({ n: 2 }), measure({ n: null }), measure({ n: 10 })];
  assert.deepEqual(order(rows, 'n', false).map(row => row.n), [2, 10, null]);
  assert.deepEqual(order(rows, 'n', true).map(row => row.n), [10, 2, null]);
});

test('counts are printed whole, shares with three decimals, nothing as nothing', () => {
  assert.deepEqual([1234, 0.12345, -0.5, null, 'x'].map(shown), ['1,234', '0.123', '-0.500', '', 'x']);
});

test('own values and differences of a measure have an axis each', () => {
  const own = measure({ value: 0.5, low: 0.4, high: 0.8 });
  const difference = measure({ reference: 'male', value: 0, low: -0.1, high: 0.1, nothing: 0 });
  const axis = scale([own, difference]);
  assert.equal(axis(own)(0.4), 0);
  assert.equal(axis(own)(0.8), 1);
  assert.equal(axis(difference)(0), 0.5);
  assert.equal(scale([measure({ value: 3 })])(measure({ value: 3 }))(3), 0.5);
});
