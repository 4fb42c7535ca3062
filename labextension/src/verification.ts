/** The answer of `fairnb verify`, read into what the dialog shows. Pure. */

export type Answer = 'yes' | 'no' | 'unknown';

export interface ISignature {
  signer: string;
  organisation: string;
  role: string;
  reason: string;
  time: string;
  fingerprint: string;
  intact: boolean;
  trusted: boolean;
}

export interface IVerification {
  intact: Answer;
  integrity: string;
  trusted: Answer;
  trust: string;
  /** 0 to 3; null if not even level 0 was reached. */
  level: number | null;
  levelText: string;
  draft: boolean;
  signatures: ISignature[];
  problems: string[];
  /** What a reader should know, though nothing is wrong. */
  notes: string[];
  notShown: string;
}

const LEVELS = [
  'The file is as it was signed.',
  'The printed figures equal the evidence, and the arithmetic holds from the counts.',
  'The figures were computed again from the texts and the recorded scores.',
  'The system scored the texts again.'
];

/**
 * What to show of a status.
 *
 * @param value - `fairnb verify --json`.
 * @param roots - whether certificates were given to trust.
 */
export function readVerification(value: unknown, roots: boolean): IVerification {
  const status = (value ?? {}) as Record<string, unknown>;
  const signatures = (Array.isArray(status.signatures) ? status.signatures : []).map(readSignature);
  const intact = status.intact === true && status.evidence_intact === true;
  const level = typeof status.level === 'number' ? status.level : null;
  const told = (Array.isArray(status.problems) ? status.problems : []).map(String);
  return {
    intact: signatures.length === 0 ? 'unknown' : intact ? 'yes' : 'no',
    integrity: integrity(signatures.length, status.intact === true, status.evidence_intact === true),
    trusted: status.trusted === true ? 'yes' : roots && signatures.length > 0 ? 'no' : 'unknown',
    trust: trust(signatures.length, status.trusted === true, roots, told),
    level,
    levelText: level === null ? 'No level was reached.' : (LEVELS[level] ?? ''),
    draft: status.document_status === 'draft',
    signatures,
    notes: (Array.isArray(status.notes) ? status.notes : []).map(note => sentence(String(note))),
    problems: told.flatMap(problem => beside(problem, signatures.length, roots)),
    notShown: typeof status.what_is_not_shown === 'string' ? status.what_is_not_shown : ''
  };
}

function integrity(signed: number, intact: boolean, evidence: boolean): string {
  if (signed === 0) {
    return 'Not signed: nothing shows whether it was changed.';
  }
  if (!intact) {
    return 'Changed or damaged: this is not the file that was signed.';
  }
  return evidence
    ? 'Unchanged since it was signed.'
    : 'As it was signed, but the evidence inside does not hold.';
}

const UNSIGNED = /^the document is not signed(?:: (.+))?$/;
const UNASKED = 'no certificate to trust was given';
const MISTRUST = /^the signer .+ is not trusted: (.+)$/;

/** What a problem says beside the answers on integrity and trust; nothing if they say it already. */
function beside(problem: string, signed: number, roots: boolean): string[] {
  const unsigned = signed === 0 ? UNSIGNED.exec(problem) : null;
  if (unsigned) {
    return unsigned[1] ? [sentence(unsigned[1])] : [];
  }
  const reason = MISTRUST.exec(problem)?.[1];
  return reason !== undefined && (roots || reason === UNASKED) ? [] : [sentence(problem)];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function trust(signed: number, trusted: boolean, roots: boolean, told: readonly string[]): string {
  if (signed === 0) {
    return 'Nobody signed it.';
  }
  if (trusted) {
    return 'Signed with a certificate that you trust.';
  }
  const reasons = told.flatMap(problem => MISTRUST.exec(problem)?.[1] ?? []);
  return roots
    ? `Not trusted: ${reasons.join('; ') || 'the signer is not among those whose certificates you trust'}.`
    : 'Not checked: no certificates to trust are given. Anyone can sign under any name.';
}

function readSignature(value: unknown): ISignature {
  const item = (value ?? {}) as Record<string, unknown>;
  const text = (name: string): string => (typeof item[name] === 'string' ? (item[name] as string) : '');
  return {
    signer: text('signer'),
    organisation: text('organisation'),
    role: text('role'),
    reason: text('reason'),
    time: text('time'),
    fingerprint: text('fingerprint'),
    intact: item.intact === true,
    trusted: item.trusted === true
  };
}
