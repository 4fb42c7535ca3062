/** The panel "Assessment" and its commands. */

import { ILayoutRestorer, JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, ISessionContextDialogs } from '@jupyterlab/apputils';
import { INotebookCellExecutor, INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { assessmentIcon } from './icons.js';
import { AssessmentModel } from './model.js';
import { cellsOf, showCell } from './notebook.js';
import { sectionsOf } from './assessment.js';
import { AssessmentPanel, NEEDS_RUN } from './panel.js';
import { Runs } from './runs.js';
import { Server } from './server.js';

const ID = 'fairnb-labextension:panel';
const SHOW = 'fairnb:show-panel';
/** Of another plugin, which may be disabled. */
const NEW = 'fairnb:new-assessment';
const RUN_STALE = 'fairnb:run-stale';
const RUN_ALL = 'fairnb:run-all';
const STOP = 'fairnb:stop';

/** Pixels of a window in which the panel may open by itself and still leave room for the notebook. */
const WIDE = 900;

const plugin: JupyterFrontEndPlugin<void> = {
  id: ID,
  description: 'Panel with the sections, findings and requirements of the current assessment.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [
    ICommandPalette,
    ILayoutRestorer,
    ISettingRegistry,
    ISessionContextDialogs,
    INotebookCellExecutor
  ],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    settings: ISettingRegistry | null,
    dialogs: ISessionContextDialogs | null,
    executor: INotebookCellExecutor | null
  ) => {
    const { commands, shell, serviceManager } = app;
    const server = new Server(serviceManager.serverSettings);
    const runs = new Runs(tracker, executor, dialogs ?? undefined);
    const model = new AssessmentModel(tracker, server, serviceManager.contents, runs);
    const panel = new AssessmentPanel(model, {
      canBegin: () => commands.hasCommand(NEW),
      show: cell => model.panel && void showCell(model.panel, cell),
      runStale: () => void commands.execute(RUN_STALE),
      runAll: () => void commands.execute(RUN_ALL),
      stop: () => void commands.execute(STOP),
      drop: cellId => model.panel && runs.drop(model.panel, cellId),
      begin: () => void commands.execute(NEW)
    });
    shell.add(panel, 'right', { rank: 400 });
    restorer?.add(panel, panel.id);

    commands.addCommand(SHOW, {
      label: 'Show Assessment Panel',
      icon: assessmentIcon,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => shell.activateById(panel.id)
    });
    commands.addCommand(RUN_STALE, {
      label: 'Run Stale Sections',
      caption: 'Run the sections whose results are missing or no longer true',
      isEnabled: () => model.assessment !== null,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        const { panel: notebook, assessment } = model;
        if (notebook && assessment) {
          const stale = assessment.sections.filter(section => NEEDS_RUN.has(section.state));
          // Cells without a section open the case: a fresh kernel needs them.
          const chosen = cellsOf(notebook).filter(
            cell => sectionsOf(cell.source).length === 0 || stale.some(section => section.cellId === cell.id)
          );
          await runs.run(notebook, stale.length ? chosen.map(cell => cell.id) : []);
        }
      }
    });
    commands.addCommand(RUN_ALL, {
      label: 'Run All Sections',
      caption: 'Run every cell in order; results that are still true are replayed',
      isEnabled: () => model.assessment !== null,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        if (model.panel) {
          await runs.run(
            model.panel,
            model.panel.content.widgets.map(cell => cell.model.id)
          );
        }
      }
    });
    commands.addCommand(STOP, {
      label: 'Stop Running Sections',
      caption: 'Stop what runs after the batch at hand, and do not begin what waits; what is finished stays',
      isEnabled: () => model.assessment !== null && model.busy,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        if (model.panel) {
          await runs.stop(model.panel);
        }
      }
    });
    for (const command of [SHOW, RUN_STALE, RUN_ALL, STOP]) {
      palette?.addItem({ command, category: 'Ethical Assessment' });
    }

    let opens = true;
    void settings?.load(ID).then(loaded => {
      const read = (): void => {
        opens = loaded.get('openWithAssessment').composite !== false;
      };
      read();
      loaded.changed.connect(read);
    });
    // Once for each notebook: a panel that was closed on purpose stays closed.
    const seen = new WeakSet<object>();
    model.changed.connect(() => {
      if (model.assessment && model.panel && !seen.has(model.panel)) {
        seen.add(model.panel);
        if (opens && window.innerWidth >= WIDE) {
          shell.activateById(panel.id);
        }
      }
    });
  }
};

export default plugin;
