/** Context menu of the file browser: "Verify Audit". */

import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Dialog, InputDialog, showDialog, showErrorMessage } from '@jupyterlab/apputils';
import { IFileBrowserFactory } from '@jupyterlab/filebrowser';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { checkIcon } from '@jupyterlab/ui-components';
import { IJob, JobError, Server } from './server.js';
import { readVerification } from './verification.js';
import { VerificationBody } from './verifyDialog.js';

const ID = 'fairnb-labextension:verify-audit';
const COMMAND = 'fairnb:verify-audit';

/** Exit codes of `fairnb verify` that are an answer: done, not intact, not trusted. */
const ANSWERS = [0, 1, 4];

const plugin: JupyterFrontEndPlugin<void> = {
  id: ID,
  description: 'Says of an audit document whether it is intact, by whom it is signed, and what that shows.',
  autoStart: true,
  optional: [IFileBrowserFactory, ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    browsers: IFileBrowserFactory | null,
    registry: ISettingRegistry | null
  ) => {
    const server = new Server(app.serviceManager.serverSettings);
    const chosen = (): string | undefined => {
      const first = browsers?.tracker.currentWidget?.selectedItems().next();
      return first && !first.done ? first.value.path : undefined;
    };
    app.commands.addCommand(COMMAND, {
      label: 'Verify Audit',
      caption: 'Say whether this audit document is intact and by whom it is signed',
      icon: checkIcon,
      describedBy: {
        args: {
          type: 'object',
          properties: { path: { type: 'string', description: 'Document to verify; default: the selected one' } }
        }
      },
      execute: async args => {
        const path = typeof args.path === 'string' ? args.path : chosen();
        if (path === undefined) {
          return;
        }
        const settings = await registry?.load(ID).catch(() => undefined);
        const trust = String(settings?.get('trust').composite ?? '');
        await verify(server, app.serviceManager.contents.localPath(path), trust);
      }
    });
  }
};

/** Verify a document and show the answer; from there it can be verified against other certificates. */
async function verify(server: Server, path: string, trust: string): Promise<void> {
  let job: IJob;
  try {
    job = await server.run('verify', { path, trust });
  } catch (error) {
    if (!(error instanceof JobError) || !ANSWERS.includes(error.job.exit_code ?? -1) || !error.job.result) {
      await showErrorMessage('Verify Audit', error as Error);
      return;
    }
    job = error.job;
  }
  const other = Dialog.createButton({
    accept: false,
    label: trust ? 'Other Certificates…' : 'Trust Certificates…',
    caption: 'Verify against a .pem file with certificates that you trust'
  });
  const answer = await showDialog({
    title: `Verification of ${path.split('/').at(-1)}`,
    body: new VerificationBody(readVerification(job.result, trust !== '')),
    buttons: [other, Dialog.okButton({ label: 'Close' })],
    defaultButton: 1
  });
  if (answer.button.label === other.label) {
    const asked = await InputDialog.getText({
      title: 'Trusted Certificates',
      label: 'A .pem file that you received over a way you trust, as a path below the file browser’s top folder',
      text: trust,
      okLabel: 'Verify'
    });
    if (asked.button.accept && asked.value) {
      await verify(server, path, asked.value.trim());
    }
  }
}

export default plugin;
