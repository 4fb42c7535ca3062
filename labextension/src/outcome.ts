/** What is told of a cell that the panel runs: to those who listen for JupyterLab's own runs, and to the person. */

import type { ISignal } from '@lumino/signaling';

/**
 * Emit on a signal of JupyterLab's, whose type only lets one listen.
 *
 * A JupyterLab whose signal can no longer be emitted on leaves its listeners without word; the run goes on.
 */
export function emitOn<S, A>(signal: ISignal<S, A>, args: A): void {
  (signal as Partial<{ emit: (args: A) => void }>).emit?.(args);
}

/**
 * Wait for a cell's end.
 *
 * @param ran - as JupyterLab runs it: false if it was cancelled, an error if it failed.
 * @param name - what a person calls the cell.
 * @param tell - tells the person one sentence that the cell itself does not show.
 * @returns whether what waits behind it may begin.
 */
export async function untilRun(
  ran: Promise<boolean>,
  name: string,
  tell: (said: string) => void
): Promise<boolean> {
  try {
    return await ran;
  } catch (reason) {
    const said = String((reason as Partial<Error> | null)?.message || reason);
    // What the cell's own code failed at stands below it.
    if (!said.startsWith('KernelReplyNotOK')) {
      tell(`${name} could not be run (${said.replace(/[.\s]+$/, '')}); no cell behind it was begun.`);
    }
    return false;
  }
}
