/** Payloads and cells as tests need them. */

import { ICell } from '../assessment.js';

export function payload(section: string, result: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    schema: 'fairnb.result/1',
    content: {
      section,
      title: `Title of ${section}`,
      target: 'toxic',
      origins: { threshold: 'notebook', margin: 'case file' },
      result: {
        status: 'done',
        findings: [{ criterion: 'c', severity: 'high', statement: 'A difference.', requirement: 5 }],
        measures: [{ measure: 'equal_opportunity', subgroup: 'female', value: 0.25 }],
        ...result
      }
    },
    context: { versions: { fairnb: '0.1.0' } },
    content_sha256: 'digest'
  };
}

export function cell(index: number, source: string, ...results: unknown[]): ICell {
  return { index, id: `cell-${index}`, source, results, told: [], failure: null, execution: 'idle', working: new Map(), prompt: null };
}
