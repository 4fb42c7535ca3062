/** What a live notebook needs beside the widgets' own front end. */

import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { followOutputs } from './follow.js';
import { nameSliders } from './sliders.js';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'fairnb-labextension:live',
  description: 'Outputs follow their controls after a reload and in a second tab; sliders have names.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_: JupyterFrontEnd, tracker: INotebookTracker) => {
    followOutputs(tracker);
    nameSliders(tracker);
  }
};

export default plugin;
