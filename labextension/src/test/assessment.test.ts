import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAssessment, mismatch, nameOf, sectionsOf, stillSaid, summarise } from '../assessment.js';
import { cell, payload } from './made.js';

const NONE = new Map();
const INFOS = new Map([
  ['group_bias', { id: 'group_bias', title: 'Bias by group', requirement: 5 }],
  ['privacy', { id: 'privacy', title: 'Personal data', requirement: 3 }]
]);

test('a section is found by its call, and not in a comment', () => {
  assert.deepEqual(sectionsOf('case.section("swap")\ncase.section( \'swap\' )\ncase.section("mining")'), [
    'swap',
    'mining'
  ]);
  assert.deepEqual(sectionsOf('# case.section("swap")\nprint(1)'), []);
});

test('a notebook without sections and results is no assessment', () => {
  assert.equal(isAssessment([cell(0, 'import pandas')]), false);
  assert.equal(isAssessment([cell(0, 'import fairnb'), cell(1, 'case.section("swap")')]), true);
  assert.equal(isAssessment([cell(0, 'import fairnb')]), false);
  assert.equal(isAssessment([cell(0, 'document.section("swap")')]), false);
  assert.equal(isAssessment([cell(0, 'show()', [payload('swap')])]), true);
});

test('sections stand in the order of the notebook, with their states', () => {
  const cells = [
    cell(1, 'case.section("privacy")'),
    cell(3, 'case.section("group_bias")', [payload('group_bias')]),
    { ...cell(4, 'case.section("swap")', [payload('swap')]), failure: 'no system' },
    { ...cell(5, 'case.section("mining")'), execution: 'running' as const },
    cell(6, 'case.section("footprint")', [payload('footprint', { status: 'not_applicable', reason: 'no meter' })]),
    { ...cell(7, 'case.section("conclusion")', [payload('conclusion')]), execution: 'queued' as const }
  ];
  const shown = summarise('T', cells, new Map([['group_bias', 'stale']]), INFOS);
  assert.deepEqual(
    shown.sections.map(section => [section.id, section.state, section.cell]),
    [
      ['privacy', 'not run', 1],
      ['group_bias', 'stale', 3],
      ['swap', 'failed', 4],
      ['mining', 'running', 5],
      ['footprint', 'not applicable', 6],
      ['conclusion', 'queued', 7]
    ]
  );
  assert.equal(shown.sections[0].title, 'Personal data');
  assert.equal(shown.sections[4].reason, 'no meter');
  assert.equal(shown.sections[2].reason, 'no system');
});

test('a first run that failed or was stopped is told from its output, until there is a result', () => {
  const told = (section: string, state: string): unknown => ({ section, state, message: `why ${state}` });
  const cells = [
    { ...cell(0, 'case.section("swap")'), told: [{ panel: 'swap' }, told('swap', 'failed')] },
    { ...cell(1, 'case.section("mining")'), told: [told('mining', 'stopped')] },
    { ...cell(2, 'case.section("privacy")', [payload('privacy')]), told: [told('privacy', 'failed')] },
    { ...cell(3, 'case.section("system")'), told: [told('system', 'fresh'), 'odd', null] }
  ];
  assert.deepEqual(
    summarise('', cells, NONE, NONE).sections.map(section => [section.state, section.reason, section.assessed]),
    [
      ['failed', 'why failed', false],
      ['stopped', 'why stopped', false],
      ['unchecked', '', true],
      ['not run', '', false]
    ]
  );
});

test('a section whose controls run it is running, although its cell is not', () => {
  const working = new Map([['swap', 'running' as const]]);
  const cells = [
    { ...cell(0, 'case.section("swap")', [payload('swap')]), working },
    { ...cell(1, 'case.section("privacy")', [payload('privacy')]), working }
  ];
  assert.deepEqual(
    summarise('', cells, new Map([['swap', 'fresh'], ['privacy', 'fresh']]), NONE).sections.map(one => one.state),
    ['running', 'fresh']
  );
});

test('a result that nobody has asked the case about is not called up to date', () => {
  const cells = [cell(0, 'case.section("swap")', [payload('swap')])];
  assert.equal(summarise('', cells, NONE, NONE).sections[0].state, 'unchecked');
  assert.equal(summarise('', cells, new Map([['swap', 'fresh']]), NONE).sections[0].state, 'fresh');
});

test('what the case said is forgotten of a section that was run again since', () => {
  const cells = [
    cell(0, 'case.section("swap")', [payload('swap')]),
    cell(1, 'case.section("mining")', [payload('mining')])
  ];
  const { sections } = summarise('', cells, NONE, NONE);
  const said = new Map([
    ['swap', 'stale'],
    ['mining', 'stale']
  ]);
  const before = new Map([
    ['swap', 'other'],
    ['mining', 'digest']
  ]);
  assert.deepEqual([...stillSaid(said, before, sections)], [['mining', 'stale']]);
});

test('findings are counted once: the conclusion repeats those of the sections', () => {
  const cells = [
    cell(0, 'case.section("group_bias")', [payload('group_bias')]),
    cell(1, 'case.section("conclusion")', [payload('conclusion')])
  ];
  const { counts, requirements } = summarise('', cells, NONE, INFOS);
  assert.equal(counts.high, 1);
  assert.equal(requirements.length, 7);
  assert.deepEqual(
    requirements.map(requirement => requirement.worst),
    ['', '', '', '', 'high', '', '']
  );
  assert.equal(requirements[4].assessed, 1);
  assert.equal(requirements[2].sections, 0);
});

test('without any result it is said that nothing was run, which no counts of nought can say', () => {
  const open = cell(0, 'case.section("swap")');
  assert.equal(summarise('', [open], NONE, INFOS).uncounted, 'nothing was run yet');
  const failed = { ...open, failure: 'no system' };
  assert.equal(summarise('', [failed], NONE, INFOS).uncounted, 'no section has a result yet');
  const clean = payload('privacy', { findings: [] });
  assert.equal(summarise('', [open, cell(1, 'case.section("privacy")', [clean])], NONE, INFOS).uncounted, '');
});

test('a cell has the name that a person sees: the titles of its sections and its prompt', () => {
  const open = { ...cell(35, 'case.section("group_bias")'), prompt: 9 };
  assert.equal(nameOf(open, INFOS), 'Bias by group [9]');
  assert.equal(nameOf({ ...open, prompt: null }, INFOS), 'Bias by group');
  assert.equal(nameOf(cell(3, 'case.section("swap")', [payload('swap')]), INFOS), 'Title of swap');
  assert.equal(nameOf(cell(3, 'show()', [payload('privacy')]), INFOS), 'Personal data');
  assert.equal(nameOf({ ...cell(1, 'print(1)'), prompt: 2 }, INFOS), 'Cell [2]');
  assert.equal(nameOf(undefined, INFOS), 'Cell');
});

test('a difference of versions is said in one sentence, and none where there is none', () => {
  const same = summarise('', [cell(0, '', [payload('swap')])], NONE, NONE);
  assert.equal(mismatch(same, '0.1.0', '0.1.0'), '');
  assert.equal(mismatch(same, '0.1.0', ''), '');
  assert.match(mismatch(same, '0.1.0', '0.2.0'), /computed by fairnb 0\.1\.0, and the kernel has 0\.2\.0/);
  const newer = summarise('', [cell(0, '', [{ ...payload('swap'), schema: 'fairnb.result/3' }])], NONE, NONE);
  assert.match(mismatch(newer, '0.1.0', '0.3.0'), /schema 3, and JupyterLab's fairnb 0\.1\.0 reads schema 1/);
});
