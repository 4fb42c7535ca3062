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
  { name: 'pdf', label: 'PDF' },
  { name: 'html', label: 'HTML' },
  { name: 'json', label: 'Evidence (JSON)' }
];

const REDACTIONS = [
  { value: '', label: 'As the case says' },
  { value: 'mask', label: 'Mask' },
  { value: 'withhold', label: 'Withhold' }
];

export class ExportBody extends Form implements Dialog.IBodyWidget<IExportRequest> {
  constructor(identity: string, role: string) {
    super([
      ...FORMATS.map(({ name, label }) => ({ name, label, checkbox: true, value: 'true', width: 'third' as const })),
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
      { name: 'role', label: 'Role', value: role, help: 'Printed beside your name.', width: 'half' },
      {
        name: 'redact',
        label: 'Texts',
        strict: true,
        width: 'half',
        choices: REDACTIONS,
        help: 'Masked or withheld; an export can only show less than the case does.'
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
