/** The assessment of the current notebook, kept up to date. */

import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { Contents } from '@jupyterlab/services';
import { PathExt } from '@jupyterlab/coreutils';
import { IDisposable } from '@lumino/disposable';
import { Debouncer } from '@lumino/polling';
import { ISignal, Signal } from '@lumino/signaling';
import { IAssessment, ISectionInfo, stillSaid, summarise } from './assessment.js';
import { cellsOf, holdsAssessment, kernelVersion, titleOf } from './notebook.js';
import { Runs } from './runs.js';
import { StatusError } from './patience.js';
import { IKnown, Server } from './server.js';

/** Milliseconds of quiet before the notebook is read again, and before its case is asked. */
const QUIET = 150;
const ASK = 1200;
/** The server's status while as many jobs run as may: the case is asked again after theirs. */
const TOO_MANY = 429;

export class AssessmentModel implements IDisposable {
  constructor(
    tracker: INotebookTracker,
    private readonly server: Server,
    private readonly contents: Contents.IManager,
    private readonly runs: Runs
  ) {
    runs.changed.connect(this._onRun, this);
    contents.fileChanged.connect(this._onFile, this);
    tracker.currentChanged.connect(this._onCurrent, this);
    this._onCurrent(tracker, tracker.currentWidget);
    void server.known().then(
      known => {
        this._known = known;
        this._infos = new Map(known.sections.map(info => [info.id, info]));
        this._read();
      },
      () => undefined
    );
  }

  /** Emitted when anything that is shown may have changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The notebook it speaks of; null if no assessment is open. */
  get panel(): NotebookPanel | null {
    return this._panel;
  }

  get assessment(): IAssessment | null {
    return this._assessment;
  }

  /** Whether cells of the notebook run or wait. */
  get busy(): boolean {
    return this._panel !== null && this.runs.isBusy(this._panel);
  }

  /** Whether a cell, by its id, waits where it can be taken out of the queue. */
  canDrop(cellId: string): boolean {
    return this._panel !== null && this.runs.canDrop(this._panel, cellId);
  }

  /** Names of the seven requirements, in their order. */
  get requirements(): readonly string[] {
    return this._known?.requirements ?? [];
  }

  /** Version of fairnb beside JupyterLab; empty if the server has none. */
  get version(): string {
    return this._known?.version ?? '';
  }

  /** Version of fairnb in the kernel; empty if it is not known. */
  get kernelVersion(): string {
    return this._kernelVersion;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    if (!this._disposed) {
      this._disposed = true;
      this._leave();
      void this._reading.dispose();
      void this._asking.dispose();
      Signal.clearData(this);
    }
  }

  private _onCurrent(_: INotebookTracker, panel: NotebookPanel | null): void {
    if (panel === this._panel) {
      return;
    }
    this._leave();
    this._panel = panel;
    this._states = new Map();
    this._kernelVersion = '';
    this._digests = new Map();
    if (panel) {
      panel.disposed.connect(this._leave, this);
      panel.sessionContext.statusChanged.connect(this._onStatus, this);
      panel.sessionContext.kernelChanged.connect(this._onKernel, this);
      void panel.sessionContext.ready.then(() => this._asking.invoke());
      void panel.context.ready.then(() => {
        if (panel === this._panel && !panel.isDisposed) {
          panel.content.model?.contentChanged.connect(this._onContent, this);
          panel.content.model?.cells.changed.connect(this._onContent, this);
          this._read();
        }
      });
    }
    this._read();
  }

  private _leave(): void {
    const panel = this._panel;
    this._panel = null;
    if (panel) {
      panel.disposed.disconnect(this._leave, this);
      panel.sessionContext.statusChanged.disconnect(this._onStatus, this);
      panel.sessionContext.kernelChanged.disconnect(this._onKernel, this);
      panel.content.model?.contentChanged.disconnect(this._onContent, this);
      panel.content.model?.cells.changed.disconnect(this._onContent, this);
    }
    if (!this._disposed) {
      this._read();
    }
  }

  private _onContent(): void {
    void this._reading.invoke();
  }

  private _onRun(_: Runs, panel: NotebookPanel): void {
    if (panel === this._panel) {
      this._onStatus();
    }
  }

  /** A cell may have begun or ended; a question that waited for that is put now. */
  private _onStatus(): void {
    void this._reading.invoke();
    if (this._waiting) {
      void this._asking.invoke();
    }
  }

  private _onKernel(): void {
    this._kernelVersion = '';
    void this._asking.invoke();
  }

  /** A file that was saved beside the notebook may make its results stale. */
  private _onFile(_: unknown, change: Contents.IChangedArgs): void {
    const path = change.newValue?.path ?? change.oldValue?.path;
    const notebook = this._panel?.context.path;
    if (path && notebook && path !== notebook && PathExt.dirname(path) === PathExt.dirname(notebook)) {
      void this._asking.invoke();
    }
  }

  private _read(): void {
    const panel = this._panel;
    const held = panel && panel.content.model && holdsAssessment(panel) ? panel : null;
    const summary = (): IAssessment | null =>
      held && summarise(
        titleOf(held),
        cellsOf(held, id => this.runs.waits(held, id)),
        this._states,
        this._infos
      );
    this._assessment = summary();
    const sections = this._assessment?.sections ?? [];
    const digests = new Map(sections.map(section => [section.id, section.digests.join()]));
    if ([...digests].join(';') !== [...this._digests].join(';')) {
      // What the case said of other results tells nothing of these; it is asked as soon as the kernel is idle.
      this._states = stillSaid(this._states, this._digests, sections);
      this._digests = digests;
      this._assessment = summary();
      void this._asking.invoke();
    }
    this._changed.emit();
  }

  /** Ask the case which results are stale, and the kernel for its version. */
  private async _ask(): Promise<void> {
    const panel = this._panel;
    if (!panel || !this._assessment || !panel.sessionContext.isReady) {
      return;
    }
    const status = panel.sessionContext.session?.kernel?.status;
    // Between two cells of a run the kernel is idle for a moment.
    this._waiting = (status !== undefined && status !== 'idle') || this.runs.isBusy(panel);
    if (this._waiting) {
      return;
    }
    const path = this.contents.localPath(panel.context.path);
    const kernel = panel.sessionContext.session?.kernel?.id ?? null;
    const version = this._kernelVersion || (await kernelVersion(panel).catch(() => ''));
    if (panel === this._panel && version !== this._kernelVersion) {
      this._kernelVersion = version;
      this._changed.emit();
    }
    const states = await this.server.run('plan', { path, kernel }).then(
      job => readStates(job.result),
      // A busy kernel, or a case file that cannot be read just now: what was known stays.
      (reason: unknown) => {
        if (reason instanceof StatusError && reason.status === TOO_MANY) {
          void this._asking.invoke();
        }
        return this._states;
      }
    );
    if (panel === this._panel && !this._disposed) {
      this._states = states;
      this._read();
    }
  }

  private _panel: NotebookPanel | null = null;
  private _assessment: IAssessment | null = null;
  private _known: IKnown | undefined;
  private _infos: ReadonlyMap<string, ISectionInfo> = new Map();
  private _states: ReadonlyMap<string, string> = new Map();
  private _kernelVersion = '';
  /** Section id -> digests of the results that the notebook held when it was last read. */
  private _digests: ReadonlyMap<string, string> = new Map();
  /** A question waits until the kernel is idle. */
  private _waiting = false;
  private _disposed = false;
  private readonly _changed = new Signal<this, void>(this);
  private readonly _reading = new Debouncer(() => this._read(), QUIET);
  private readonly _asking = new Debouncer(() => this._ask(), ASK);
}

function readStates(result: unknown): Map<string, string> {
  const rows = (result as { sections?: unknown } | null)?.sections;
  const states = new Map<string, string>();
  for (const row of Array.isArray(rows) ? (rows as { section?: unknown; state?: unknown }[]) : []) {
    if (typeof row.section === 'string' && typeof row.state === 'string') {
      states.set(row.section, row.state);
    }
  }
  return states;
}
