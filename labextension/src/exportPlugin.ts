/** Toolbar button and command "Export Audit…". */

import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import {
  Dialog,
  ICommandPalette,
  IToolbarWidgetRegistry,
  Notification,
  showDialog,
  showErrorMessage
} from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ToolbarButton } from '@jupyterlab/ui-components';
import { Debouncer } from '@lumino/polling';
import { Widget } from '@lumino/widgets';
import { nameOf } from './assessment.js';
import { ExportBody, IExportRequest } from './exportDialog.js';
import { nameExporters } from './exportMenu.js';
import { assessmentIcon } from './icons.js';
import { cellsOf, holdsAssessment, showCell } from './notebook.js';
import { showFailure, showRefusal } from './refusal.js';
import { JobError, Server } from './server.js';

const ID = 'fairnb-labextension:export-audit';
const COMMAND = 'fairnb:export-audit';

/** Exit code of an export that the notebook is no faithful record for. */
const UNFAITHFUL = 3;

const plugin: JupyterFrontEndPlugin<void> = {
  id: ID,
  description: 'Makes and signs the audit document of the current assessment.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [IToolbarWidgetRegistry, ICommandPalette, ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    toolbar: IToolbarWidgetRegistry | null,
    palette: ICommandPalette | null,
    registry: ISettingRegistry | null
  ) => {
    const server = new Server(app.serviceManager.serverSettings);
    app.commands.addCommand(COMMAND, {
      label: 'Export Audit…',
      caption: 'Make and sign the audit document of this assessment',
      icon: args => (args.isPalette ? undefined : assessmentIcon),
      isEnabled: () => tracker.currentWidget !== null && holdsAssessment(tracker.currentWidget),
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        const panel = tracker.currentWidget;
        if (panel) {
          const settings = await registry?.load(ID).catch(() => undefined);
          const identity = String(settings?.get('identity').composite ?? '');
          const role = String(settings?.get('role').composite ?? 'assessor');
          await exportAudit(app, server, panel, new ExportBody(identity, role));
        }
      }
    });
    palette?.addItem({ command: COMMAND, category: 'Ethical Assessment', args: { isPalette: true } });
    // A server without nbconvert has no such entries.
    void nameExporters(app.serviceManager.nbconvert, palette).catch(() => undefined);
    toolbar?.addFactory<NotebookPanel>('Notebook', 'fairnb-export-audit', panel =>
      button(panel, () => void app.commands.execute(COMMAND))
    );
  }
};

/** A button that is there only while its notebook holds an assessment. */
function button(panel: NotebookPanel, onClick: () => void): Widget {
  const made = new ToolbarButton({
    label: 'Export Audit…',
    icon: assessmentIcon,
    tooltip: 'Make and sign the audit document of this assessment',
    onClick
  });
  made.addClass('fairnb-ExportButton');
  made.hide();
  const look = new Debouncer(() => made.setHidden(made.isDisposed || !holdsAssessment(panel)), 300);
  void panel.context.ready.then(() => {
    if (!made.isDisposed) {
      made.setHidden(!holdsAssessment(panel));
      panel.content.model?.contentChanged.connect(() => void look.invoke(), made);
    }
  });
  made.disposed.connect(() => look.dispose());
  return made;
}

async function exportAudit(
  app: JupyterFrontEnd,
  server: Server,
  panel: NotebookPanel,
  body: ExportBody
): Promise<void> {
  const answer = await showDialog<IExportRequest>({
    title: 'Export Audit',
    body,
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: 'Export' })]
  });
  if (!answer.button.accept || !answer.value) {
    return;
  }
  if (answer.value.formats.length === 0) {
    await showErrorMessage('Export Audit', 'Choose at least one format.');
    return;
  }
  if (panel.context.model.dirty) {
    await panel.context.save();
  }
  const path = app.serviceManager.contents.localPath(panel.context.path);
  const kernel = panel.sessionContext.session?.kernel?.id ?? null;
  const stop = new AbortController();
  const cancel = (event: MouseEvent): void => {
    // The notification stays: it tells how the job ended.
    event.preventDefault();
    stop.abort();
  };
  const pending = `Exporting the audit of ${panel.title.label}`;
  let shown = '';
  const done = server.run('export', { path, kernel, ...answer.value }, stop.signal, stage => {
    Notification.update({ id: shown, message: `${pending}: ${stage}…` });
  });
  const pdf = PathExt.join(PathExt.dirname(path), 'audit.pdf');
  const open = { label: 'Open PDF', callback: () => void app.commands.execute('docmanager:open', { path: pdf }) };
  shown = Notification.promise(
    done.then(job => outcome(job.result)),
    {
      pending: {
        message: pending,
        options: { autoClose: false, actions: [{ label: 'Cancel', callback: cancel }] }
      },
      success: {
        message: said => String(said),
        options: { autoClose: false, actions: answer.value.formats.includes('pdf') ? [open] : [] }
      },
      error: { message: reason => refusedIn(reason), options: { autoClose: 10000, actions: [] } }
    }
  );
  try {
    await done;
  } catch (error) {
    if (error instanceof JobError && error.job.exit_code === UNFAITHFUL) {
      const known = await server.known().catch(() => null);
      const infos = new Map(known?.sections.map(info => [info.id, info]));
      const cells = cellsOf(panel);
      await showRefusal(
        error.job.problems,
        number => void showCell(panel, number - 1),
        number => nameOf(cells.find(cell => cell.index === number - 1), infos)
      );
    } else {
      await showFailure('Export Failed', error);
    }
  }
}

/** One sentence on what was made. */
function outcome(result: unknown): string {
  const { status, signed, warnings } = (result ?? {}) as {
    status?: unknown;
    signed?: unknown;
    warnings?: unknown;
  };
  const kind = status === 'draft' ? 'a draft' : 'the final document';
  const how = signed === true ? 'signed' : 'unsigned';
  const warned = Array.isArray(warnings) && warnings.length > 0 ? ` ${String(warnings[0])}` : '';
  return `Audit exported: ${kind}, ${how}.${warned}`;
}

function refusedIn(reason: unknown): string {
  if (reason instanceof JobError && reason.job.state === 'cancelled') {
    return 'Export cancelled: nothing was written.';
  }
  if (reason instanceof JobError && reason.job.exit_code === UNFAITHFUL) {
    return 'Export refused: the notebook is not a faithful record of its case.';
  }
  return (reason as Error).message;
}

export default plugin;
