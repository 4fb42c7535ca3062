import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readVerification } from '../verification.js';

const SIGNED = { signer: 'A. Example', role: 'assessor', intact: true, trusted: false, fingerprint: 'ab' };
const INTACT = { intact: true, evidence_intact: true, trusted: false, level: 1, signatures: [SIGNED] };

test('integrity and trust are two answers', () => {
  const shown = readVerification(INTACT, true);
  assert.deepEqual([shown.intact, shown.trusted, shown.level], ['yes', 'no', 1]);
});

test('without certificates to trust, trust is not known', () => {
  const shown = readVerification(INTACT, false);
  assert.equal(shown.trusted, 'unknown');
  assert.match(shown.trust, /Not checked/);
});

test('an unsigned document is neither intact nor changed', () => {
  const shown = readVerification({ intact: false, signatures: [], level: null, problems: ['not signed'] }, true);
  assert.deepEqual([shown.intact, shown.trusted, shown.level], ['unknown', 'unknown', null]);
  assert.match(shown.integrity, /Not signed/);
});

test('a changed document is called changed', () => {
  const shown = readVerification({ ...INTACT, intact: false, level: null }, true);
  assert.equal(shown.intact, 'no');
  assert.match(shown.integrity, /not the file that was signed/);
});

test('evidence that does not hold spoils an unchanged file', () => {
  const shown = readVerification({ ...INTACT, evidence_intact: false, level: 0 }, true);
  assert.equal(shown.intact, 'no');
  assert.match(shown.integrity, /does not hold/);
});

test('an answer of another shape shows nothing as good', () => {
  for (const value of [null, 'yes', { intact: 'true', trusted: 1, signatures: {} }]) {
    const shown = readVerification(value, true);
    assert.notEqual(shown.intact, 'yes');
    assert.notEqual(shown.trusted, 'yes');
    assert.equal(shown.level, null);
  }
});

test('a note is a sentence and spoils no answer', () => {
  const notes = ['signed by Your Name, who is not the assessor named in the case file'];
  const shown = readVerification({ ...INTACT, notes }, false);
  assert.deepEqual(shown.notes, ['Signed by Your Name, who is not the assessor named in the case file.']);
  assert.deepEqual([shown.intact, shown.problems.length], ['yes', 0]);
  assert.deepEqual(readVerification(INTACT, false).notes, []);
});

test('why a signer is not trusted is said once', () => {
  const why = 'its certificate leads to none of those you trust';
  const problems = [`the signer 'A. Example' is not trusted: ${why}`, 'something was added'];
  const shown = readVerification({ ...INTACT, problems }, true);
  assert.equal(shown.trust, `Not trusted: ${why}.`);
  assert.deepEqual(shown.problems, ['Something was added.']);
  const unasked = ["the signer 'A. Example' is not trusted: no certificate to trust was given"];
  assert.deepEqual(readVerification({ ...INTACT, problems: unasked }, false).problems, []);
  const expired = ["the signer 'A. Example' is not trusted: the certificate is not for signing"];
  assert.equal(readVerification({ ...INTACT, problems: expired }, false).problems.length, 1);
});

test('that a document is not signed is said once, and what is missing beside it', () => {
  const unsigned = { intact: false, signatures: [], level: null };
  const alone = readVerification({ ...unsigned, problems: ['the document is not signed'] }, false);
  assert.deepEqual(alone.problems, []);
  const missing = 'the document is not signed: there is no a.html.p7s beside it';
  const beside = readVerification({ ...unsigned, problems: [missing] }, false);
  assert.deepEqual(beside.problems, ['There is no a.html.p7s beside it.']);
});
