/** Measures as CSV that a spreadsheet does not run. */

import { IMeasure } from './payload.js';

export const COLUMNS: readonly (keyof IMeasure)[] = [
  'measure',
  'attribute',
  'subgroup',
  'reference',
  'label',
  'variant',
  'value',
  'low',
  'high',
  'n',
  'status',
  'note'
];

/** A line for the names of the columns, then one for each measure; lines end in CR LF (RFC 4180). */
export function toCsv(measures: readonly IMeasure[]): string {
  const rows = [COLUMNS.join(','), ...measures.map(row => COLUMNS.map(name => cell(row[name])).join(','))];
  return rows.map(row => `${row}\r\n`).join('');
}

function cell(value: string | number | null): string {
  if (value === null) {
    return '';
  }
  if (typeof value === 'number') {
    return String(value);
  }
  // What begins like a formula is made a text by an apostrophe.
  const harmless = /^\s*[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
