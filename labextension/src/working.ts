/** Sections that run, or wait, without their cell: a control was moved, or the section's own Run was pressed. */

import { NotebookPanel } from '@jupyterlab/notebook';
import { KernelMessage } from '@jupyterlab/services';
import { IWorking, readWorking } from './payload.js';

export type Working = ReadonlyMap<string, NonNullable<IWorking['state']>>;

/** By notebook: what its controls said, which neither its model nor the kernel's status holds. */
const working = new WeakMap<NotebookPanel, Map<string, NonNullable<IWorking['state']>>>();

/** Sections of a notebook that run or wait without their cell, by id. */
export function workingIn(panel: NotebookPanel): Working {
  return working.get(panel) ?? new Map();
}

/**
 * Take in what a notebook's kernel sends.
 *
 * @returns whether a section began, or came to an end.
 */
export function hear(panel: NotebookPanel, message: KernelMessage.IMessage): boolean {
  const told = KernelMessage.isCommMsgMsg(message) ? readWorking(message.content) : null;
  const known = working.get(panel) ?? new Map<string, NonNullable<IWorking['state']>>();
  if (told === null || (known.get(told.section) ?? null) === told.state) {
    return false;
  }
  if (told.state === null) {
    known.delete(told.section);
  } else {
    known.set(told.section, told.state);
  }
  working.set(panel, known);
  return true;
}

/** Forget what a kernel said that is there no more. */
export function forget(panel: NotebookPanel): void {
  working.delete(panel);
}
