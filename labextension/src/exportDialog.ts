/** The form of "Export Audit…". */

import { Dialog } from '@jupyterlab/apputils';
import { Form } from './form.js';

export interface IExportRequest {
  formats: string[];
  /** Path of the identity file; empty for an unsigned document. */
  identity: string;
  passphrase: string;
  role: string;
  /** Empty: as the case says. */
  redact: string;
}

const FORMATS = [
  { name: 'pdf', label: 'PDF, with the evidence attached' },
  { name: 'html', label: 'HTML page, without scripts' },
  { name: 'json', label: 'Evidence (JSON)' }
];

const REDACTIONS = [
  { value: '', label: 'As the case says' },
  { value: 'mask', label: 'Mask: words stay, names and addresses go' },
  { value: 'withhold', label: 'Withhold: no text is printed' }
];

export class ExportBody extends Form implements Dialog.IBodyWidget<IExportRequest> {
  constructor(identity: string, role: string) {
    super([
      ...FORMATS.map(({ name, label }) => ({ name, label, checkbox: true, value: 'true' })),
      {
        name: 'identity',
        label: 'Identity file',
        value: identity,
        help: 'A .p12 file below the file browser’s top folder. Empty: the document is not signed.'
      },
      {
        name: 'passphrase',
        label: 'Passphrase',
        password: true,
        help: 'Used for this export and kept nowhere.'
      },
      { name: 'role', label: 'Role', value: role, help: 'Printed beside your name.' },
      {
        name: 'redact',
        label: 'Texts',
        strict: true,
        choices: REDACTIONS,
        help: 'An export can only show less than the case does.'
      }
    ]);
    this.addClass('fairnb-ExportForm');
  }

  getValue(): IExportRequest {
    return {
      formats: FORMATS.map(format => format.name).filter(name => this.checked(name)),
      identity: this.text('identity'),
      passphrase: this.exact('passphrase'),
      role: this.text('role'),
      redact: this.text('redact')
    };
  }
}
