/** Renderer of results: what a section's cell puts out, with every measure in a table. */

import { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { toCsv } from './csv.js';
import { IPayload, readPayloads, RESULT_MIME } from './payload.js';
import { measureTable } from './table.js';

/** Before HTML (50), which it shows itself; see `RenderedResult`. */
const RANK = 45;

/** Milliseconds for which it is said that the table was copied. */
const TOLD = 5000;

/**
 * A section's results.
 *
 * The bundle's own HTML (sentences, tables, figures as data: images) goes through JupyterLab's sanitiser,
 * in a trusted notebook as well; below it stand the measures, folded.
 */
class RenderedResult extends Widget implements IRenderMime.IRenderer {
  constructor(private readonly options: IRenderMime.IRendererOptions) {
    super();
    this.addClass('fairnb-Result');
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const { payloads, newer } = readPayloads(model.data[RESULT_MIME]);
    const open = this.node.querySelector<HTMLDetailsElement>('.fairnb-Measures')?.open ?? false;
    const html = model.data['text/html'];
    const parts: HTMLElement[] = [];
    if (typeof html === 'string' || Array.isArray(html)) {
      parts.push(this._page(Array.isArray(html) ? html.join('') : html));
    } else {
      parts.push(...payloads.map(statements));
    }
    for (const payload of payloads.filter(item => item.measures.length > 0)) {
      parts.push(measures(payload, open));
    }
    if (newer.length > 0) {
      const said = document.createElement('p');
      said.textContent = `This result is of schema ${newer[0]}: install a newer fairnb beside JupyterLab to read it.`;
      parts.push(said);
    }
    this.node.replaceChildren(...parts);
  }

  /** The sanitised page; it loads nothing, also where the sanitiser would let it. */
  private _page(html: string): HTMLElement {
    const read = new DOMParser().parseFromString(this.options.sanitizer.sanitize(html), 'text/html');
    for (const element of read.body.querySelectorAll('*')) {
      element.removeAttribute('style');
      if (element.matches(LOADS) || (element.matches('img') && !isFigure(element))) {
        element.remove();
      }
    }
    const page = document.createElement('div');
    page.append(...read.body.childNodes);
    return page;
  }
}

/** Elements that fetch or send something. */
const LOADS = 'audio, base, embed, form, iframe, input, link, meta, object, source, style, track, video';

function isFigure(image: Element): boolean {
  image.removeAttribute('srcset');
  return /^data:image\/(svg\+xml|png)[;,]/.test(image.getAttribute('src') ?? '');
}

/** A result whose HTML was too large for the notebook, in a few lines. */
function statements(payload: IPayload): HTMLElement {
  const made = document.createElement('div');
  made.className = 'fairnb';
  const lines = [
    ['fairnb-title', payload.title],
    ...(payload.notApplicable ? [['na', `Not applicable: ${payload.reason}`]] : []),
    ...payload.findings.map(finding => ['say', `${finding.severity}: ${finding.statement}`])
  ];
  for (const [name, said] of lines) {
    const line = document.createElement('p');
    line.className = name;
    line.textContent = said;
    made.append(line);
  }
  return made;
}

function measures(payload: IPayload, open: boolean): HTMLElement {
  const made = document.createElement('details');
  made.className = 'fairnb-Measures';
  made.open = open;
  const summary = document.createElement('summary');
  const count = payload.measures.length;
  const target = payload.target ? ` of ${payload.target}` : '';
  summary.textContent = count === 1 ? `1 measure${target}` : `All ${count} measures${target}`;
  const copy = document.createElement('button');
  copy.type = 'button';
  copy.className = 'fairnb-Link';
  copy.textContent = 'Copy as CSV';
  // It stays when it is empty: screen readers announce what changes in a node that they know.
  const told = document.createElement('span');
  told.className = 'fairnb-Copied';
  told.setAttribute('role', 'status');
  let fading: ReturnType<typeof setTimeout> | undefined;
  const tell = (said: string): void => {
    told.textContent = said;
    clearTimeout(fading);
    fading = setTimeout(() => (told.textContent = ''), TOLD);
  };
  copy.addEventListener('click', () => {
    // Empty first, so that the same words are a change the second time.
    told.textContent = '';
    // On a page that is not secure (plain http from another machine) there is no clipboard at all.
    const copied = async (): Promise<void> => navigator.clipboard.writeText(toCsv(payload.measures));
    void copied().then(
      () => tell('Copied'),
      () => tell('The browser does not allow copying')
    );
  });
  made.append(summary);
  // Hundreds of rows are made when somebody wants to see them.
  const fill = (): void => {
    if (made.open && made.childElementCount === 1) {
      made.append(copy, told, measureTable(payload.measures));
    }
  };
  made.addEventListener('toggle', fill);
  fill();
  return made;
}

const extension: IRenderMime.IExtension = {
  id: 'fairnb-labextension:result',
  description: 'Shows the results of an assessment, with every measure and its interval.',
  rendererFactory: {
    safe: true,
    mimeTypes: [RESULT_MIME],
    createRenderer: options => new RenderedResult(options)
  },
  rank: RANK,
  dataType: 'json'
};

export default extension;
