/** Order, numbers and scales of a measure table. Pure. */

import { IMeasure } from './payload.js';

export type SortKey =
  | 'measure'
  | 'attribute'
  | 'subgroup'
  | 'reference'
  | 'label'
  | 'variant'
  | 'value'
  | 'n'
  | 'status';

/** Rows by one column; rows without a value there come last either way, equal ones keep their order. */
export function order(measures: readonly IMeasure[], key: SortKey, down: boolean): IMeasure[] {
  const sign = down ? -1 : 1;
  const missing = (value: string | number | null): boolean => value === null || value === '';
  return [...measures].sort((one, other) => {
    const [a, b] = [one[key], other[key]];
    if (missing(a) || missing(b)) {
      return Number(missing(a)) - Number(missing(b));
    }
    if (typeof a === 'number' && typeof b === 'number') {
      return sign * (a - b);
    }
    return sign * String(a).localeCompare(String(b), 'en');
  });
}

/** A value as it is printed: counts whole, others with three decimals, none as an empty text. */
export function shown(value: string | number | null): string {
  if (value === null) {
    return '';
  }
  if (typeof value === 'string') {
    return value;
  }
  if (Number.isInteger(value)) {
    return value.toLocaleString('en');
  }
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : value.toFixed(3);
}

/**
 * Where numbers lie between 0 and 1 on the axis of a measure.
 *
 * One axis for all rows of a measure that are of one kind (own values, or differences), so that their
 * intervals can be compared by eye.
 */
export function scale(measures: readonly IMeasure[]): (measure: IMeasure) => (value: number) => number {
  const kind = (row: IMeasure): string => `${row.measure}\n${row.reference === '' ? 'own' : 'difference'}`;
  const spans = new Map<string, [number, number]>();
  for (const row of measures) {
    const numbers = [row.value, row.low, row.high, row.nothing].filter(item => item !== null);
    const [low, high] = spans.get(kind(row)) ?? [Infinity, -Infinity];
    spans.set(kind(row), [Math.min(low, ...numbers), Math.max(high, ...numbers)]);
  }
  return measure => {
    const [low, high] = spans.get(kind(measure)) ?? [0, 1];
    return value => (high > low ? (value - low) / (high - low) : 0.5);
  };
}
