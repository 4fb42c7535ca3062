/** Names for the handles of sliders, which the widgets' own front end leaves without any. */

import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

/** Class that `fairnb/notebook/_widgets.py` gives to sliders; the title of their label is the parameter. */
const SLIDER = '.fairnb-slider';

export function nameSliders(tracker: INotebookTracker): void {
  const watch = (panel: NotebookPanel): void => {
    const observer = new MutationObserver(changes => {
      for (const change of changes) {
        change.addedNodes.forEach(node => node instanceof Element && name(node));
        // Widgets are given their classes when they are there already.
        if (change.target instanceof Element && change.target.matches(SLIDER)) {
          name(change.target);
        }
      }
    });
    observer.observe(panel.content.node, { attributeFilter: ['class'], childList: true, subtree: true });
    panel.disposed.connect(() => observer.disconnect());
    name(panel.content.node);
  };
  tracker.forEach(watch);
  tracker.widgetAdded.connect((_, panel) => watch(panel));
}

function name(node: Element): void {
  for (const handle of node.querySelectorAll(`${SLIDER} [role="slider"]`)) {
    const title = handle.closest(SLIDER)?.querySelector('.widget-label')?.getAttribute('title');
    if (title) {
      handle.setAttribute('aria-label', title);
    }
  }
}
