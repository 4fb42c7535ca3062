/** What our exporters for nbconvert are called in JupyterLab: one entry, under File and in the palette. */

import { ICommandPalette } from '@jupyterlab/apputils';
import { NbConvert } from '@jupyterlab/services';

const EXPORT = 'notebook:export-to-format';

/** As in the settings schema, which adds the entry under File > Save and Export Notebook As. */
const DRAFT = { format: 'audit_pdf', label: 'Audit (Unsigned Draft)', isPalette: true };

/**
 * Take our exporters out of the formats for which JupyterLab makes entries by their bare names, and add ours.
 *
 * JupyterLab asks for the formats when the first notebook is opened and is given the same object, so that
 * what is taken out before is not there for it.
 */
export async function nameExporters(nbconvert: NbConvert.IManager, palette: ICommandPalette | null): Promise<void> {
  // Who asks first is told last; those who ask while it is being fetched are told in their order.
  void nbconvert.getExportFormats(false).catch(() => undefined);
  const formats = await nbconvert.getExportFormats(false);
  const ours = Object.keys(formats ?? {}).filter(name => name.startsWith('audit_'));
  ours.forEach(name => delete formats[name]);
  if (ours.includes(DRAFT.format)) {
    palette?.addItem({ command: EXPORT, category: 'Ethical Assessment', args: DRAFT });
  }
}
