/** Forms in dialogs: labelled fields in plain DOM, so that every text stays a text. */

import { Widget } from '@lumino/widgets';

export interface IField {
  name: string;
  label: string;
  value?: string;
  /** What the entry has as a consequence; shown below the field. */
  help?: string;
  /** Names offered in a list; with `strict` nothing else can be chosen. */
  choices?: readonly { value: string; label: string }[];
  strict?: boolean;
  password?: boolean;
  checkbox?: boolean;
  /** How much of a line it takes; the whole by default. */
  width?: 'half' | 'third';
}

/** A form whose fields stand below each other. */
export class Form extends Widget {
  constructor(fields: readonly IField[]) {
    super({ node: document.createElement('form') });
    this.addClass('fairnb-Form');
    this.node.addEventListener('submit', event => event.preventDefault());
    fields.forEach(field => this.node.append(this._row(field)));
  }

  /** What was entered under a name. */
  text(name: string): string {
    return this._entry(name).value.trim();
  }

  /** What was entered, with its spaces. */
  exact(name: string): string {
    return this._entry(name).value;
  }

  checked(name: string): boolean {
    return (this._entry(name) as HTMLInputElement).checked;
  }

  private _entry(name: string): HTMLInputElement | HTMLSelectElement {
    return this.node.querySelector(`[name="${name}"]`) as HTMLInputElement | HTMLSelectElement;
  }

  private _row(field: IField): HTMLElement {
    const row = document.createElement('div');
    row.className = field.checkbox ? 'fairnb-Form-row fairnb-mod-checkbox' : 'fairnb-Form-row';
    row.dataset.width = field.width ?? '';
    const label = document.createElement('label');
    label.textContent = field.label;
    const entry = field.strict ? select(field) : input(field);
    entry.name = field.name;
    entry.id = label.htmlFor = `fairnb-form-${field.name}`;
    row.append(...(field.checkbox ? [entry, label] : [label, entry]));
    if (field.choices && !field.strict) {
      row.append(suggestions(field, entry as HTMLInputElement));
    }
    if (field.help) {
      const help = document.createElement('small');
      help.id = `${entry.id}-help`;
      help.textContent = field.help;
      entry.setAttribute('aria-describedby', help.id);
      row.append(help);
    }
    return row;
  }
}

function input(field: IField): HTMLInputElement {
  const made = document.createElement('input');
  made.type = field.checkbox ? 'checkbox' : field.password ? 'password' : 'text';
  if (field.checkbox) {
    made.checked = field.value === 'true';
  } else {
    made.className = 'jp-mod-styled';
    made.value = field.value ?? '';
    made.autocomplete = field.password ? 'new-password' : 'off';
    made.spellcheck = false;
  }
  return made;
}

function select(field: IField): HTMLSelectElement {
  const made = document.createElement('select');
  made.className = 'jp-mod-styled';
  for (const { value, label } of field.choices ?? []) {
    made.append(new Option(label, value, false, value === field.value));
  }
  return made;
}

function suggestions(field: IField, entry: HTMLInputElement): HTMLDataListElement {
  const made = document.createElement('datalist');
  made.id = `fairnb-form-${field.name}-choices`;
  entry.setAttribute('list', made.id);
  for (const { value, label } of field.choices ?? []) {
    const option = new Option(label, value);
    made.append(option);
  }
  return made;
}
