/** The answer of a verification: integrity, trust and level apart. */

import { Widget } from '@lumino/widgets';
import { Answer, ISignature, IVerification } from './verification.js';

const MARKS: Record<Answer, string> = { yes: '✓', no: '✕', unknown: '?' };
const WORDS: Record<Answer, string> = { yes: 'yes', no: 'no', unknown: 'not known' };

export class VerificationBody extends Widget {
  constructor(status: IVerification) {
    super();
    this.addClass('fairnb-Verification');
    this.node.append(
      row('Integrity', status.intact, status.integrity),
      row('Trust', status.trusted, status.trust),
      level(status)
    );
    if (status.draft) {
      this.node.append(paragraph('fairnb-mod-warning', 'The document is a draft.'));
    }
    status.problems.forEach(problem => this.node.append(paragraph('fairnb-mod-warning', problem)));
    status.notes.forEach(note => this.node.append(paragraph('fairnb-Verification-note', note)));
    status.signatures.forEach(signature => this.node.append(signed(signature)));
    this.node.append(paragraph('fairnb-Verification-limits', status.notShown));
  }
}

function row(name: string, answer: Answer, said: string): HTMLElement {
  const made = document.createElement('div');
  made.className = 'fairnb-Verification-row';
  made.dataset.answer = answer;
  const mark = document.createElement('span');
  mark.className = 'fairnb-Verification-mark';
  mark.textContent = MARKS[answer];
  mark.setAttribute('role', 'img');
  mark.setAttribute('aria-label', WORDS[answer]);
  const title = document.createElement('strong');
  title.textContent = name;
  const text = document.createElement('span');
  text.textContent = said;
  made.append(mark, title, text);
  return made;
}

function level(status: IVerification): HTMLElement {
  const made = row('Level', status.level === null ? 'no' : 'yes', status.levelText);
  if (status.level === 0) {
    // No more than integrity: it has no mark of success of its own.
    made.dataset.answer = 'nothing';
  }
  const mark = made.firstElementChild as HTMLElement;
  mark.textContent = status.level === null ? '–' : String(status.level);
  mark.setAttribute('aria-label', status.level === null ? 'none of 0 to 3' : `${status.level} of 0 to 3`);
  return made;
}

function signed(signature: ISignature): HTMLElement {
  const made = document.createElement('dl');
  const who = [signature.signer, signature.organisation].filter(Boolean).join(', ');
  const time = signature.time ? new Date(signature.time).toUTCString() : 'not stated';
  const entries = [
    ['Name in the certificate', signature.role ? `${who} (as ${signature.role})` : who],
    ['Time, by the signer’s own clock', time],
    ['Certificate (SHA-256)', signature.fingerprint]
  ];
  for (const [name, value] of entries) {
    const term = document.createElement('dt');
    term.textContent = name;
    const text = document.createElement('dd');
    text.textContent = value;
    made.append(term, text);
  }
  return made;
}

function paragraph(name: string, said: string): HTMLElement {
  const made = document.createElement('p');
  made.className = name;
  made.textContent = said;
  return made;
}
