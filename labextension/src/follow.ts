/** A live notebook after its page was loaded anew: its outputs follow their controls again. */

import { CodeCellModel } from '@jupyterlab/cells';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { KernelMessage } from '@jupyterlab/services';
import { JSONExt, ReadonlyJSONValue, ReadonlyPartialJSONObject } from '@lumino/coreutils';
import { CONTROLS_MIME, displayOf, RESULT_MIME } from './payload.js';

/**
 * Put what a kernel sends for an output of ours into the notebook's model.
 *
 * JupyterLab knows which output a display id belongs to only until the page is reloaded, and never in a second
 * tab; the output's metadata says it. Where JupyterLab has replaced the output already, nothing is left to do.
 */
export function followOutputs(tracker: INotebookTracker): void {
  const follow = (panel: NotebookPanel): void => {
    panel.sessionContext.iopubMessage.connect((_, message) => take(panel, message));
  };
  tracker.forEach(follow);
  tracker.widgetAdded.connect((_, panel) => follow(panel));
}

function take(panel: NotebookPanel, message: KernelMessage.IMessage): void {
  if (!KernelMessage.isUpdateDisplayDataMsg(message)) {
    return;
  }
  const { data, metadata, transient } = message.content;
  const id = transient.display_id;
  if (!id || displayOf(metadata) !== id || !(RESULT_MIME in data || CONTROLS_MIME in data)) {
    return;
  }
  for (const output of outputsOf(panel, id)) {
    const now = output.toJSON().data as ReadonlyJSONValue | undefined;
    if (!JSONExt.deepEqual(now ?? null, data as ReadonlyJSONValue)) {
      output.setData({
        data: data as ReadonlyPartialJSONObject,
        metadata: metadata as ReadonlyPartialJSONObject
      });
    }
  }
}

type Output = ReturnType<CodeCellModel['outputs']['get']>;

function* outputsOf(panel: NotebookPanel, id: string): Iterable<Output> {
  for (const cell of panel.content.model?.cells ?? []) {
    if (cell instanceof CodeCellModel) {
      for (let place = 0; place < cell.outputs.length; place++) {
        const output = cell.outputs.get(place);
        if (displayOf(output.metadata) === id) {
          yield output;
        }
      }
    }
  }
}
