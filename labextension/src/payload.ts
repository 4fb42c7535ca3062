/** Results as a notebook's outputs hold them, read without trust: whatever has another shape is left out. */

export const RESULT_MIME = 'application/vnd.fairnb.result+json';

/** Major version of the result schema that this extension reads. */
export const SCHEMA_MAJOR = 1;

/** Marks outputs that are fairnb's and no result: controls, notes, and why there is no result. */
export const CONTROLS_MIME = 'application/vnd.fairnb.controls+json';

export const SEVERITIES = ['high', 'medium', 'low', 'observation'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface IFinding {
  severity: Severity;
  statement: string;
  /** ALTAI requirement, 1 to 7. */
  requirement: number;
}

/** One number with its interval; the columns are those of `fairnb measures`. */
export interface IMeasure {
  measure: string;
  attribute: string;
  subgroup: string;
  reference: string;
  label: string;
  variant: string;
  value: number | null;
  low: number | null;
  high: number | null;
  nothing: number | null;
  n: number | null;
  status: string;
  note: string;
}

/** What is shown of one section's result for one target. */
export interface IPayload {
  section: string;
  target: string;
  title: string;
  digest: string;
  /** Not applicable, with the reason. */
  notApplicable: boolean;
  reason: string;
  findings: IFinding[];
  measures: IMeasure[];
  /** Version of fairnb that computed it. */
  version: string;
  /** Names of parameters that the notebook changed. */
  changed: string[];
}

export interface IRead {
  payloads: IPayload[];
  /** Major versions of results that this extension does not read. */
  newer: number[];
}

/** Read the value that an output holds under `RESULT_MIME`: a list of payloads. */
export function readPayloads(value: unknown): IRead {
  const read: IRead = { payloads: [], newer: [] };
  for (const item of Array.isArray(value) ? value : []) {
    const major = majorOf(text(record(item).schema));
    if (major > SCHEMA_MAJOR) {
      read.newer.push(major);
    } else if (major === SCHEMA_MAJOR) {
      const payload = readPayload(record(item));
      if (payload.section) {
        read.payloads.push(payload);
      }
    }
  }
  return read;
}

/** Why a section has no result yet. */
export interface ITold {
  section: string;
  state: 'failed' | 'stopped';
  message: string;
}

/** Read the value that an output holds under `CONTROLS_MIME`; null if it is no word on a section. */
export function readTold(value: unknown): ITold | null {
  const { section, state, message } = record(value);
  return text(section) && (state === 'failed' || state === 'stopped')
    ? { section: text(section), state, message: text(message) }
    : null;
}

/** What a section's controls say of a run that its cell does not show: a control was moved, or Run pressed. */
export interface IWorking {
  section: string;
  /** Null once it neither runs nor waits. */
  state: 'queued' | 'running' | null;
}

/** Read the content of a widget's message; null if it is no word on a run. */
export function readWorking(content: unknown): IWorking | null {
  const { method, content: said } = record(record(content).data);
  const { section, state } = record(record(said).fairnb);
  return method === 'custom' && text(section)
    ? { section: text(section), state: state === 'queued' || state === 'running' ? state : null }
    : null;
}

/** Display id that an output of a live section carries, so that it is found again; empty if it has none. */
export function displayOf(metadata: unknown): string {
  return text(record(record(metadata).fairnb).display);
}

function readPayload(item: Record<string, unknown>): IPayload {
  const content = record(item.content);
  const result = record(content.result);
  const versions = record(record(item.context).versions);
  return {
    section: text(content.section),
    target: text(content.target),
    title: text(content.title) || text(content.section),
    digest: text(item.content_sha256),
    notApplicable: result.status === 'not_applicable',
    reason: text(result.reason),
    findings: list(result.findings).flatMap(readFinding),
    measures: list(result.measures).map(readMeasure),
    version: text(versions.fairnb),
    changed: Object.entries(record(content.origins))
      .filter(([, origin]) => origin === 'notebook')
      .map(([name]) => name)
  };
}

function readFinding(value: unknown): IFinding[] {
  const { severity, statement, requirement } = record(value);
  const known = SEVERITIES.find(name => name === severity);
  return known
    ? [{ severity: known, statement: text(statement), requirement: number(requirement) ?? 0 }]
    : [];
}

function readMeasure(value: unknown): IMeasure {
  const item = record(value);
  return {
    measure: text(item.measure),
    attribute: text(item.attribute),
    subgroup: text(item.subgroup),
    reference: text(item.reference),
    label: text(item.label),
    variant: text(item.variant),
    value: number(item.value),
    low: number(item.low),
    high: number(item.high),
    nothing: number(item.null),
    n: number(item.n),
    status: text(item.status) || 'ok',
    note: text(item.note)
  };
}

function majorOf(schema: string): number {
  const found = /^fairnb\.result\/(\d+)$/.exec(schema);
  return found ? Number(found[1]) : 0;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
