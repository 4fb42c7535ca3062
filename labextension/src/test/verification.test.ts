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
