/** Reading and steering a notebook through its model; its DOM is never looked at. */

import { CodeCellModel, ICodeCellModel } from '@jupyterlab/cells';
import { NotebookPanel } from '@jupyterlab/notebook';
import { ICell, isAssessment } from './assessment.js';
import { CONTROLS_MIME, RESULT_MIME } from './payload.js';
import { Working, workingIn } from './working.js';

/**
 * The code cells of a notebook.
 *
 * @param waits - whether a cell, by its id, has been asked for and has not begun.
 */
export function cellsOf(panel: NotebookPanel, waits: (id: string) => boolean = () => false): ICell[] {
  const cells: ICell[] = [];
  const model = panel.content.model;
  for (let index = 0; model && index < model.cells.length; index++) {
    const cell = model.cells.get(index);
    if (cell instanceof CodeCellModel) {
      cells.push(cellOf(cell, index, waits(cell.id), workingIn(panel)));
    }
  }
  return cells;
}

function cellOf(cell: ICodeCellModel, index: number, waits: boolean, working: Working): ICell {
  const results: unknown[] = [];
  const told: unknown[] = [];
  let failure: string | null = null;
  for (let place = 0; place < cell.outputs.length; place++) {
    const output = cell.outputs.get(place);
    if (output.type === 'error') {
      const { evalue, ename } = output.toJSON() as { evalue?: unknown; ename?: unknown };
      failure ??= String(evalue || ename || 'the cell failed');
    }
    const data = output.data;
    if (data[RESULT_MIME] !== undefined) {
      results.push(data[RESULT_MIME]);
    }
    if (data[CONTROLS_MIME] !== undefined) {
      told.push(data[CONTROLS_MIME]);
    }
  }
  return {
    index,
    id: cell.id,
    source: cell.sharedModel.getSource(),
    results,
    told,
    failure,
    execution: waits ? 'queued' : cell.executionState === 'running' ? 'running' : 'idle',
    working,
    prompt: cell.executionCount
  };
}

/** Whether a notebook belongs to an assessment. */
export function holdsAssessment(panel: NotebookPanel): boolean {
  return isAssessment(cellsOf(panel));
}

/** Title of the notebook: its first heading, else its name. */
export function titleOf(panel: NotebookPanel): string {
  const first = panel.content.model?.cells.get(0)?.sharedModel.getSource() ?? '';
  return /^#\s+(.+)$/m.exec(first)?.[1].trim() || panel.title.label;
}

/** Make a cell the active one and bring it into view. */
export async function showCell(panel: NotebookPanel, index: number): Promise<void> {
  const notebook = panel.content;
  if (index < 0 || index >= notebook.widgets.length) {
    return;
  }
  notebook.deselectAll();
  notebook.activeCellIndex = index;
  await notebook.scrollToCell(notebook.widgets[index], 'start');
  notebook.activate();
}

/** Version of fairnb in the notebook's kernel; empty if there is no kernel, or none that is idle. */
export async function kernelVersion(panel: NotebookPanel): Promise<string> {
  const kernel = panel.sessionContext.session?.kernel;
  if (!kernel || kernel.status !== 'idle') {
    return '';
  }
  const version = "__import__('importlib.metadata', fromlist=['version']).version('fairnb')";
  const future = kernel.requestExecute({
    code: '',
    silent: true,
    store_history: false,
    user_expressions: { version }
  });
  const content = (await future.done).content as { user_expressions?: Record<string, unknown> };
  const answer = content.user_expressions?.version as { data?: Record<string, unknown> } | undefined;
  const said = answer?.data?.['text/plain'];
  return typeof said === 'string' ? said.replace(/^['"]|['"]$/g, '') : '';
}
