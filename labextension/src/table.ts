/** Measures as a table that can be sorted, with each interval drawn. Plain DOM: every text stays a text. */

import { IMeasure } from './payload.js';
import { order, scale, shown, SortKey } from './rows.js';

interface IColumn {
  key: SortKey;
  title: string;
  numeric?: boolean;
}

const COLUMNS: readonly IColumn[] = [
  { key: 'measure', title: 'Measure' },
  { key: 'attribute', title: 'Attribute' },
  { key: 'subgroup', title: 'Subgroup' },
  { key: 'reference', title: 'Reference' },
  { key: 'label', title: 'Label' },
  { key: 'variant', title: 'Variant' },
  { key: 'value', title: 'Value', numeric: true },
  { key: 'n', title: 'Texts', numeric: true },
  { key: 'status', title: 'Status' }
];

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 96;
const HEIGHT = 14;

/** Rows that are made at once; more are made when asked for. */
const FIRST = 100;

export function measureTable(measures: readonly IMeasure[]): HTMLElement {
  const used = COLUMNS.filter(
    column => column.key === 'measure' || measures.some(row => row[column.key] !== '' && row[column.key] !== null)
  );
  const drawn = measures.some(row => row.low !== null && row.high !== null);
  const region = document.createElement('div');
  region.className = 'fairnb-Measures-table';
  region.tabIndex = 0;
  region.setAttribute('role', 'region');
  region.setAttribute('aria-label', 'Measures');
  const table = document.createElement('table');
  const body = document.createElement('tbody');
  const more = document.createElement('button');
  more.type = 'button';
  more.className = 'fairnb-Link';
  let sorted: { key: SortKey; down: boolean } | null = null;
  let limit = FIRST;

  const fill = (): void => {
    const rows = sorted ? order(measures, sorted.key, sorted.down) : measures;
    const lines = scale(measures);
    body.replaceChildren(...rows.slice(0, limit).map(row => line(row, used, drawn, lines)));
    more.hidden = rows.length <= limit;
    more.textContent = `Show all ${rows.length} measures`;
  };
  more.addEventListener('click', () => {
    limit = measures.length;
    fill();
  });
  table.append(
    head(used, drawn, key => {
      sorted = { key, down: sorted?.key === key ? !sorted.down : false };
      fill();
      return sorted.down;
    }),
    body
  );
  fill();
  region.append(table, more);
  return region;
}

/**
 * @param drawn - whether there are intervals.
 * @param sort - sorts by a column and says whether downwards.
 */
function head(columns: readonly IColumn[], drawn: boolean, sort: (key: SortKey) => boolean): HTMLElement {
  const made = document.createElement('thead');
  const row = made.insertRow();
  for (const column of columns) {
    const cell = document.createElement('th');
    cell.scope = 'col';
    cell.className = column.numeric ? 'fairnb-mod-number' : '';
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = column.title;
    button.addEventListener('click', () => {
      row.querySelectorAll('th').forEach(other => other.removeAttribute('aria-sort'));
      cell.setAttribute('aria-sort', sort(column.key) ? 'descending' : 'ascending');
    });
    cell.append(button);
    row.append(cell);
    if (drawn && column.key === 'value') {
      const interval = document.createElement('th');
      interval.scope = 'col';
      interval.textContent = 'Interval';
      row.append(interval);
    }
  }
  return made;
}

type Scale = ReturnType<typeof scale>;

function line(measure: IMeasure, columns: readonly IColumn[], drawn: boolean, lines: Scale): HTMLElement {
  const row = document.createElement('tr');
  for (const column of columns) {
    const cell = row.insertCell();
    const said = shown(measure[column.key]);
    if (column.numeric) {
      cell.className = 'fairnb-mod-number';
      cell.textContent = said;
    } else {
      cell.append(...breakable(said));
    }
    if (column.key === 'status' && measure.note) {
      cell.title = measure.note;
    }
    if (drawn && column.key === 'value') {
      const cell = row.insertCell();
      cell.className = 'fairnb-mod-interval';
      cell.append(...interval(measure, lines));
    }
  }
  return row;
}

/** A name that may be broken after each underscore, so that long ones leave room for the numbers. */
function breakable(said: string): Node[] {
  return said
    .split(/(?<=_)/)
    .flatMap((part, at) => [...(at ? [document.createElement('wbr')] : []), document.createTextNode(part)]);
}

/** The interval as words and, where there is one, as a line. */
function interval(measure: IMeasure, lines: Scale): Node[] {
  const { low, high, value, nothing } = measure;
  if (low === null || high === null) {
    return [];
  }
  const axis = lines(measure);
  const drawn = document.createElementNS(SVG, 'svg');
  drawn.setAttribute('class', 'fairnb-Interval');
  drawn.setAttribute('width', String(WIDTH));
  drawn.setAttribute('height', String(HEIGHT));
  drawn.setAttribute('aria-hidden', 'true');
  const add = (name: string, of: string, attributes: Record<string, number>): void => {
    const shape = document.createElementNS(SVG, name);
    shape.setAttribute('class', of);
    Object.entries(attributes).forEach(([key, number]) => shape.setAttribute(key, number.toFixed(2)));
    drawn.append(shape);
  };
  const place = (number: number): number => 3 + axis(number) * (WIDTH - 6);
  if (nothing !== null) {
    const x = place(nothing);
    add('line', 'fairnb-Interval-null', { x1: x, x2: x, y1: 0, y2: HEIGHT });
  }
  add('line', 'fairnb-Interval-line', { x1: place(low), x2: place(high), y1: HEIGHT / 2, y2: HEIGHT / 2 });
  if (value !== null) {
    add('circle', 'fairnb-Interval-value', { cx: place(value), cy: HEIGHT / 2, r: 3 });
  }
  const words = document.createElement('span');
  words.textContent = `${shown(low)} to ${shown(high)}`;
  return [drawn, words];
}
