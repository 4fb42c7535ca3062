/** Launcher card and command "New Ethical Assessment…". */

import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Dialog, ICommandPalette, Notification, showDialog, showErrorMessage } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ILauncher } from '@jupyterlab/launcher';
import { assessmentIcon, cardPicture } from './icons.js';
import { NewAssessmentBody } from './newDialog.js';
import { showFailure } from './refusal.js';
import { Server } from './server.js';

const COMMAND = 'fairnb:new-assessment';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'fairnb-labextension:new-assessment',
  description: 'Starts an ethical assessment: a case file and its notebook.',
  autoStart: true,
  optional: [ILauncher, ICommandPalette, IDefaultFileBrowser],
  activate: (
    app: JupyterFrontEnd,
    launcher: ILauncher | null,
    palette: ICommandPalette | null,
    browser: IDefaultFileBrowser | null
  ) => {
    const server = new Server(app.serviceManager.serverSettings);
    app.commands.addCommand(COMMAND, {
      label: args => (args.isLauncher ? 'Ethical Assessment' : 'New Ethical Assessment…'),
      caption: 'Start an assessment of a text classifier: a case file and its notebook',
      icon: args => (args.isPalette ? undefined : assessmentIcon),
      describedBy: {
        args: {
          type: 'object',
          properties: { cwd: { type: 'string', description: 'Folder in which the case is made' } }
        }
      },
      execute: async args => {
        const given = typeof args.cwd === 'string' ? args.cwd : (browser?.model.path ?? '');
        await begin(app, server, app.serviceManager.contents.localPath(given));
      }
    });
    launcher?.add({
      command: COMMAND,
      category: 'Notebook',
      rank: 50,
      kernelIconUrl: cardPicture,
      args: { isLauncher: true }
    });
    palette?.addItem({ command: COMMAND, category: 'Ethical Assessment', args: { isPalette: true } });
  }
};

async function begin(app: JupyterFrontEnd, server: Server, folder: string): Promise<void> {
  let body: NewAssessmentBody;
  try {
    body = new NewAssessmentBody(await server.known(), folder);
  } catch (error) {
    await showErrorMessage('New Ethical Assessment', error as Error);
    return;
  }
  const answer = await showDialog({
    title: 'New Ethical Assessment',
    body,
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: 'Create' })],
    focusNodeSelector: 'input[name="title"]'
  });
  if (!answer.button.accept || !answer.value) {
    return;
  }
  const asked = answer.value;
  const stop = new AbortController();
  const cancel = (event: MouseEvent): void => {
    // The notification stays: it tells how the job ended.
    event.preventDefault();
    stop.abort();
  };
  const made = server.run('new', asked, stop.signal);
  Notification.promise(
    made.then(() => true),
    {
      pending: {
        message: `Making the assessment in ${asked.folder}`,
        options: { autoClose: false, actions: [{ label: 'Cancel', callback: cancel }] }
      },
      success: {
        message: () => 'The assessment is made: read its case file before the first score.',
        options: {
          autoClose: 8000,
          actions: [
            {
              label: 'Open Case File',
              callback: () => void open(app, PathExt.join(asked.folder, 'assessment.toml'))
            }
          ]
        }
      },
      error: { message: reason => (reason as Error).message, options: { autoClose: false, actions: [] } }
    }
  );
  try {
    await made;
  } catch (error) {
    await showFailure('No Assessment Was Made', error);
    return;
  }
  await open(app, PathExt.join(asked.folder, 'assessment.ipynb'));
}

async function open(app: JupyterFrontEnd, path: string): Promise<void> {
  await app.commands.execute('docmanager:open', { path });
}

export default plugin;
