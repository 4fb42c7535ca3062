/** File > Save and Export Notebook As: what our exporters for nbconvert are called there. */

import { IMainMenu } from '@jupyterlab/mainmenu';
import { Message, MessageLoop } from '@lumino/messaging';
import { Menu } from '@lumino/widgets';

const EXPORT = 'notebook:export-to-format';
const SUBMENU = 'jp-mainmenu-file-notebookexport';

/** The entry of the settings schema; the others are JupyterLab's, one for each exporter it finds. */
const LABEL = 'Audit (Unsigned Draft)';

/** Before the menu is shown, take out the entries that call our exporters by their bare names. */
export function nameExporters(menu: IMainMenu): void {
  // The interface does not say that the File menu is a widget; it is one.
  const tidied = new WeakSet<Menu>();
  MessageLoop.installMessageHook(menu.fileMenu as unknown as Menu, (_: unknown, message: Message) => {
    const submenu = menu.fileMenu.items.find(item => item.submenu?.id === SUBMENU)?.submenu;
    if (message.type === 'before-attach' && submenu && !tidied.has(submenu)) {
      tidied.add(submenu);
      MessageLoop.installMessageHook(submenu, (__: unknown, inner: Message) => {
        if (inner.type === 'before-attach') {
          tidy(submenu);
        }
        return true;
      });
    }
    return true;
  });
}

function tidy(submenu: Menu): void {
  for (const item of [...submenu.items]) {
    const format = item.command === EXPORT ? item.args.format : undefined;
    if (typeof format === 'string' && format.startsWith('audit_') && item.args.label !== LABEL) {
      submenu.removeItem(item);
    }
  }
}
