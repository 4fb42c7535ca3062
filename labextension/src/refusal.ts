/** Why a job was refused or failed, one reason a line, each that concerns a cell with a way there. */

import { Dialog } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';
import { IProblem, JobError } from './server.js';

/** JupyterLab cuts a notification off after so many characters. */
const ROOM = 140;

/**
 * Show the problems of a refused export; a click on one closes the dialog and goes to its cell.
 *
 * @param show - brings a cell into view by its number, from 1.
 * @param name - what a person calls that cell: its number counts the cells of text, too, and stands nowhere.
 */
export async function showRefusal(
  problems: readonly IProblem[],
  show: (cell: number) => void,
  name: (cell: number) => string
): Promise<void> {
  const said = 'The document can only be made from a notebook that is a faithful record of its case. Put right:';
  await showProblems('Export Refused', said, problems, show, name);
}

/** Show in full what made a job fail, where its notification has no room for it. */
export async function showFailure(title: string, error: unknown): Promise<void> {
  if (error instanceof JobError && error.job.state === 'failed') {
    const { problems } = error.job;
    if (problems.length > 1 || error.message.length > ROOM) {
      const shown = problems.length > 0 ? problems : [{ code: '', message: error.message, cell: 0 }];
      await showProblems(title, 'Nothing was written. Put right:', shown, () => undefined, () => 'Cell');
    }
  }
}

async function showProblems(
  title: string,
  said: string,
  problems: readonly IProblem[],
  show: (cell: number) => void,
  name: (cell: number) => string
): Promise<void> {
  const body = new Widget();
  body.addClass('fairnb-Refusal');
  const dialog = new Dialog({
    title,
    body,
    buttons: [Dialog.okButton({ label: 'Close' })]
  });
  const intro = document.createElement('p');
  intro.textContent = said;
  const list = document.createElement('ul');
  for (const problem of problems) {
    const item = document.createElement('li');
    const said = document.createElement('span');
    said.textContent = problem.message;
    if (problem.cell > 0) {
      const link = document.createElement('button');
      link.type = 'button';
      link.className = 'fairnb-Link';
      link.textContent = name(problem.cell);
      link.addEventListener('click', () => {
        dialog.resolve(0);
        show(problem.cell);
      });
      item.append(link, ': ');
    }
    item.append(said);
    list.append(item);
  }
  body.node.append(intro, list);
  await dialog.launch();
}
