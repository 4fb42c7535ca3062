/** Why an export was refused, cell by cell, each with a way there. */

import { Dialog } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';
import { IProblem } from './server.js';

/**
 * Show the problems; a click on one closes the dialog and goes to its cell.
 *
 * @param show - brings a cell into view by its number, from 1.
 */
export async function showRefusal(
  problems: readonly IProblem[],
  show: (cell: number) => void
): Promise<void> {
  const body = new Widget();
  body.addClass('fairnb-Refusal');
  const dialog = new Dialog({
    title: 'Export Refused',
    body,
    buttons: [Dialog.okButton({ label: 'Close' })]
  });
  const intro = document.createElement('p');
  intro.textContent =
    'The document can only be made from a notebook that is a faithful record of its case. Put right:';
  const list = document.createElement('ul');
  for (const problem of problems) {
    const item = document.createElement('li');
    const said = document.createElement('span');
    said.textContent = problem.message;
    if (problem.cell > 0) {
      const link = document.createElement('button');
      link.type = 'button';
      link.className = 'fairnb-Link';
      link.textContent = `Cell ${problem.cell}`;
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
