/** Cells that are run one after another, so that what waits can still be taken back. */

import { ISessionContext, ISessionContextDialogs, Notification } from '@jupyterlab/apputils';
import { Cell, CodeCell } from '@jupyterlab/cells';
import { INotebookCellExecutor, INotebookTracker, NotebookActions, NotebookPanel } from '@jupyterlab/notebook';
import { Kernel, KernelMessage } from '@jupyterlab/services';
import { ISignal, Signal } from '@lumino/signaling';
import { nameOf } from './assessment.js';
import { cellsOf } from './notebook.js';
import { emitOn, untilRun } from './outcome.js';
import { forget, hear } from './working.js';

/** Name under which the kernel's cases listen; see `fairnb/notebook/_stopping.py`. */
const TARGET = 'fairnb';

/** Milliseconds that a kernel has to answer before it is interrupted. */
const PATIENCE = 3000;

/** Statuses of a kernel whose threads have ended. */
const GONE: ReadonlySet<string> = new Set(['restarting', 'autorestarting', 'terminating', 'dead']);

export class Runs {
  /**
   * @param executor - runs a cell as JupyterLab does, without moving the view or leaving the edit mode.
   */
  constructor(
    tracker: INotebookTracker,
    private readonly executor: INotebookCellExecutor | null,
    private readonly dialogs: ISessionContextDialogs | undefined
  ) {
    tracker.forEach(panel => this._follow(panel));
    tracker.widgetAdded.connect((_, panel) => this._follow(panel));
  }

  /** Emitted when a cell of a notebook, or a section without its cell, begins, ends, or leaves the queue. */
  get changed(): ISignal<this, NotebookPanel> {
    return this._changed;
  }

  /** Whether a cell was asked for and has not begun: here, or by JupyterLab in the kernel's own queue. */
  waits(panel: NotebookPanel, id: string): boolean {
    return this.canDrop(panel, id) || this._isSent(panel, id);
  }

  /** Whether a cell waits here, so that it can be taken out alone. */
  canDrop(panel: NotebookPanel, id: string): boolean {
    return this._queues.get(panel)?.includes(id) ?? false;
  }

  /** Whether anything of a notebook runs or waits. */
  isBusy(panel: NotebookPanel): boolean {
    return this._queues.has(panel) || panel.content.widgets.some(isRunning);
  }

  /** Run cells in their order; what one of them fails at, the rest does not begin. */
  async run(panel: NotebookPanel, ids: readonly string[]): Promise<void> {
    const waiting = this._queues.get(panel);
    if (waiting) {
      waiting.push(...ids.filter(id => !waiting.includes(id)));
      this._changed.emit(panel);
      return;
    }
    const queue = [...ids];
    this._queues.set(panel, queue);
    try {
      for (let id = queue.shift(); id !== undefined && !panel.isDisposed; id = queue.shift()) {
        this._changed.emit(panel);
        const cell = panel.content.widgets.find(widget => widget.model.id === id);
        if (cell && !(await this._one(panel, cell))) {
          break;
        }
      }
    } finally {
      this._queues.delete(panel);
      this._changed.emit(panel);
    }
  }

  /** Take one cell out of the queue. */
  drop(panel: NotebookPanel, id: string): void {
    const queue = this._queues.get(panel);
    const place = queue?.indexOf(id) ?? -1;
    if (place >= 0) {
      queue?.splice(place, 1);
      this._changed.emit(panel);
    }
  }

  /** End the run: what is at hand stops as by its own Stop, and what waits does not begin. */
  async stop(panel: NotebookPanel): Promise<void> {
    this._queues.get(panel)?.splice(0);
    this._changed.emit(panel);
    const kernel = panel.sessionContext.session?.kernel;
    if (kernel && panel.content.widgets.some(isRunning) && !(await askToStop(kernel))) {
      await kernel.interrupt();
    }
  }

  private _one(panel: NotebookPanel, cell: Cell): Promise<boolean> {
    // Its results have its sections' titles, as far as there are any.
    const name = nameOf(cellsOf(panel).find(one => one.id === cell.model.id), new Map());
    return untilRun(this._execute(panel, cell), name, said =>
      Notification.error(said, { autoClose: false })
    );
  }

  /** @throws Error as `NotebookActions.runCells` does, and where the cell's own code failed. */
  private async _execute(panel: NotebookPanel, cell: Cell): Promise<boolean> {
    const { content, sessionContext } = panel;
    if (!this.executor || !content.model) {
      return NotebookActions.runCells(content, [cell], sessionContext, this.dialogs);
    }
    // The action itself would end the edit mode and scroll to the active cell before each cell of a run, under
    // the hands of whoever types meanwhile. Those who listen to it hear of this cell all the same.
    return this.executor.runCell({
      cell,
      notebook: content.model,
      notebookConfig: content.notebookConfig,
      onCellExecuted: args => emitOn(NotebookActions.executed, { notebook: content, ...args }),
      onCellExecutionScheduled: args =>
        emitOn(NotebookActions.executionScheduled, { notebook: content, ...args }),
      sessionContext,
      sessionDialogs: this.dialogs
    });
  }

  private _follow(panel: NotebookPanel): void {
    const begun = new Set<string>();
    this._begun.set(panel, begun);
    const onMessage = (_: ISessionContext, message: KernelMessage.IMessage): void => {
      if (message.header.msg_type === 'execute_input' && 'msg_id' in message.parent_header) {
        begun.add(String(message.parent_header.msg_id));
        this._changed.emit(panel);
      } else if (hear(panel, message)) {
        this._changed.emit(panel);
      }
    };
    panel.sessionContext.iopubMessage.connect(onMessage);
    panel.sessionContext.statusChanged.connect((_, status) => {
      if (GONE.has(status)) {
        forget(panel);
      }
    });
    panel.sessionContext.kernelChanged.connect(() => {
      begun.clear();
      forget(panel);
    });
  }

  /** Whether the kernel has a cell's request and has not begun with it. */
  private _isSent(panel: NotebookPanel, id: string): boolean {
    const cell = panel.content.widgets.find(widget => widget.model.id === id);
    const sent = cell && isRunning(cell) ? cell.outputArea.future?.msg.header.msg_id : undefined;
    return sent !== undefined && !this._begun.get(panel)?.has(sent);
  }

  /** Ids of the cells that wait here, by notebook; there is an entry while a run goes on. */
  private readonly _queues = new Map<NotebookPanel, string[]>();
  /** Ids of the requests that a notebook's kernel has begun with. */
  private readonly _begun = new WeakMap<NotebookPanel, Set<string>>();
  private readonly _changed = new Signal<this, NotebookPanel>(this);
}

function isRunning(cell: Cell): cell is CodeCell {
  return cell instanceof CodeCell && cell.model.executionState === 'running';
}

/** Have the kernel's cases stop while a cell runs; false if none of them is at hand, or cannot hear. */
async function askToStop(kernel: Kernel.IKernelConnection): Promise<boolean> {
  if (!kernel.supportsSubshells) {
    return false;
  }
  const comm = kernel.createComm(TARGET);
  try {
    return await Promise.race([
      answer(comm),
      new Promise<boolean>(resolve => setTimeout(() => resolve(false), PATIENCE))
    ]);
  } catch {
    return false;
  } finally {
    if (!comm.isDisposed) {
      void comm.close().done.catch(() => undefined);
    }
  }
}

async function answer(comm: Kernel.IComm & { subshellStarted?: Promise<void> }): Promise<boolean> {
  // The interface does not say it; without it the request would wait behind the cell that it is to stop.
  await comm.subshellStarted;
  return new Promise(resolve => {
    comm.onMsg = message => resolve(message.content.data.cell === true);
    comm.onClose = () => resolve(false);
    comm.open({ ask: 'stop' });
  });
}
