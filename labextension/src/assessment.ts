/** What the panel shows, computed from the cells of a notebook. Pure: no widgets, no server. */

import { IFinding, IPayload, ITold, readPayloads, readTold, SCHEMA_MAJOR, SEVERITIES, Severity } from './payload.js';

/** A code cell as the notebook's model holds it. */
export interface ICell {
  /** Place in the notebook, from 0. */
  index: number;
  id: string;
  source: string;
  /** Values that its outputs hold under the results' MIME type. */
  results: unknown[];
  /** Values that its outputs hold under the controls' MIME type. */
  told: unknown[];
  /** What its error says; null if it has none. */
  failure: string | null;
  execution: 'idle' | 'queued' | 'running';
  /** Sections of the notebook that run or wait without their cell, by id. */
  working: ReadonlyMap<string, 'queued' | 'running'>;
  /** Number of its prompt; null if it was not run. */
  prompt: number | null;
}

/** What the case says of a section's last result: `fresh`, `stale` or `not run`. */
export type States = ReadonlyMap<string, string>;

/** A section as its package describes it. */
export interface ISectionInfo {
  id: string;
  title: string;
  requirement: number;
}

export type SectionState =
  | 'running'
  | 'queued'
  | 'failed'
  | 'stopped'
  | 'not run'
  | 'stale'
  | 'not applicable'
  | 'fresh'
  | 'unchecked';

export interface ISection {
  id: string;
  title: string;
  requirement: number;
  cell: number;
  cellId: string;
  state: SectionState;
  /** Why it is not applicable, failed, or how far it came; empty otherwise. */
  reason: string;
  /** Whether it has a result that says something. */
  assessed: boolean;
  findings: IFinding[];
  /** Digests of its results, one for each target. */
  digests: string[];
  /** Names of parameters that the notebook changed. */
  changed: string[];
}

export interface IRequirement {
  id: number;
  /** Sections of the notebook that concern it. */
  sections: number;
  /** Sections with a result. */
  assessed: number;
  counts: Record<Severity, number>;
  worst: Severity | '';
}

export interface IAssessment {
  title: string;
  sections: ISection[];
  requirements: IRequirement[];
  counts: Record<Severity, number>;
  /** Why there is nothing to count, in words; empty as soon as a section has a result. */
  uncounted: string;
  /** Versions of fairnb that computed the results. */
  versions: string[];
  /** Majors of the schema that this extension cannot read. */
  newer: number[];
}

const CALL = /^[^#\n]*\.section\(\s*["'](\w+)["']/gm;

/** Section ids that a cell's source asks for, in its order. */
export function sectionsOf(source: string): string[] {
  return [...new Set([...source.matchAll(CALL)].map(found => found[1]))];
}

/**
 * What a person calls a cell: its sections' titles and the number of its prompt.
 *
 * @param cell - undefined where it is no cell of code.
 */
export function nameOf(cell: ICell | undefined, known: ReadonlyMap<string, ISectionInfo>): string {
  const titles = new Map(
    cell?.results.flatMap(value => readPayloads(value).payloads).map(payload => [payload.section, payload.title])
  );
  const named = cell ? sectionsOf(cell.source) : [];
  const said = (named.length > 0 ? named : [...titles.keys()]).map(id => known.get(id)?.title ?? titles.get(id) ?? id);
  const prompt = cell?.prompt ? ` [${cell.prompt}]` : '';
  return said.length > 0 ? `${said.join(', ')}${prompt}` : `Cell${prompt}`;
}

/** Whether a notebook's cells belong to an assessment; other libraries have a `.section(...)`, too. */
export function isAssessment(cells: readonly ICell[]): boolean {
  const calls = cells.some(cell => sectionsOf(cell.source).length > 0);
  return cells.some(cell => cell.results.length > 0 || (calls && /\bfairnb\b/.test(cell.source)));
}

/**
 * The notebook's sections in their order, with state and findings.
 *
 * Findings of the conclusion repeat those of the sections and are not counted again.
 */
export function summarise(
  title: string,
  cells: readonly ICell[],
  states: States,
  known: ReadonlyMap<string, ISectionInfo>
): IAssessment {
  const sections: ISection[] = [];
  const versions = new Set<string>();
  const newer = new Set<number>();
  for (const cell of cells) {
    const read = cell.results.map(readPayloads);
    const payloads = read.flatMap(item => item.payloads);
    read.flatMap(item => item.newer).forEach(major => newer.add(major));
    payloads.forEach(payload => payload.version && versions.add(payload.version));
    const ids = new Set([...sectionsOf(cell.source), ...payloads.map(payload => payload.section)]);
    for (const id of ids) {
      const own = payloads.filter(payload => payload.section === id);
      sections.push(sectionOf(cell, id, own, states, known.get(id)));
    }
  }
  const counted = sections.filter(section => section.id !== 'conclusion');
  return {
    title,
    sections,
    requirements: [1, 2, 3, 4, 5, 6, 7].map(id => requirement(id, counted)),
    counts: count(counted.flatMap(section => section.findings)),
    uncounted: uncounted(sections),
    versions: [...versions].sort(),
    newer: [...newer].sort()
  };
}

/**
 * What the case said of sections whose results are still those that it was asked about.
 *
 * @param before - digests of each section's results when the notebook was last read.
 */
export function stillSaid(states: States, before: ReadonlyMap<string, string>, now: readonly ISection[]): States {
  const same = new Set(
    now.filter(section => before.get(section.id) === section.digests.join()).map(section => section.id)
  );
  return new Map([...states].filter(([id]) => same.has(id)));
}

function sectionOf(
  cell: ICell,
  id: string,
  payloads: IPayload[],
  states: States,
  known: ISectionInfo | undefined
): ISection {
  const apart = payloads.length > 0 && payloads.every(payload => payload.notApplicable);
  const told = payloads.length > 0 ? null : (cell.told.map(readTold).find(item => item?.section === id) ?? null);
  const state = cell.working.get(id) ?? stateOf(cell, payloads.length > 0, apart, told, states.get(id));
  return {
    id,
    title: payloads[0]?.title ?? known?.title ?? id,
    requirement: known?.requirement ?? payloads[0]?.findings[0]?.requirement ?? 0,
    cell: cell.index,
    cellId: cell.id,
    state,
    reason: reasonOf(state, cell, told, apart ? payloads[0].reason : ''),
    assessed: payloads.length > 0 && !apart && cell.failure === null,
    findings: payloads.flatMap(payload => payload.findings),
    digests: payloads.map(payload => payload.digest),
    changed: [...new Set(payloads.flatMap(payload => payload.changed))]
  };
}

function stateOf(
  cell: ICell,
  shown: boolean,
  apart: boolean,
  told: ITold | null,
  state: string | undefined
): SectionState {
  if (cell.execution !== 'idle') {
    return cell.execution;
  }
  if (cell.failure !== null) {
    return 'failed';
  }
  if (!shown) {
    return told?.state ?? 'not run';
  }
  if (state === 'stale' || state === 'not run') {
    return 'stale';
  }
  if (apart) {
    return 'not applicable';
  }
  return state === 'fresh' ? 'fresh' : 'unchecked';
}

function reasonOf(state: SectionState, cell: ICell, told: ITold | null, apart: string): string {
  switch (state) {
    case 'failed':
      return cell.failure ?? told?.message ?? '';
    case 'stopped':
      return told?.message ?? '';
    case 'not applicable':
      return apart;
    default:
      return '';
  }
}

function requirement(id: number, sections: readonly ISection[]): IRequirement {
  const own = sections.filter(section => section.requirement === id);
  const findings = sections.flatMap(section => section.findings).filter(item => item.requirement === id);
  return {
    id,
    sections: own.length,
    assessed: own.filter(section => section.assessed).length,
    counts: count(findings),
    worst: SEVERITIES.find(severity => findings.some(item => item.severity === severity)) ?? ''
  };
}

/** Without a result, no findings would read as a clean bill. */
function uncounted(sections: readonly ISection[]): string {
  if (sections.some(section => section.digests.length > 0)) {
    return '';
  }
  const ended = sections.some(section => section.state === 'failed' || section.state === 'stopped');
  return ended ? 'no section has a result yet' : 'nothing was run yet';
}

function count(findings: readonly IFinding[]): Record<Severity, number> {
  const counts = { high: 0, medium: 0, low: 0, observation: 0 };
  findings.forEach(finding => (counts[finding.severity] += 1));
  return counts;
}

/**
 * One sentence if the results cannot be read here or were computed by another version; empty otherwise.
 *
 * @param here - version of fairnb beside JupyterLab.
 * @param kernel - version in the kernel; empty if it is not known.
 */
export function mismatch(assessment: IAssessment, here: string, kernel: string): string {
  if (assessment.newer.length > 0) {
    return (
      `Some results are of schema ${assessment.newer[0]}, and JupyterLab's fairnb ${here} reads ` +
      `schema ${SCHEMA_MAJOR}: install the newer fairnb beside JupyterLab to see them.`
    );
  }
  const other = assessment.versions.find(version => kernel !== '' && version !== kernel);
  if (other !== undefined) {
    return `Some results were computed by fairnb ${other}, and the kernel has ${kernel}: run them again before export.`;
  }
  return '';
}
