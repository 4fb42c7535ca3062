/** The form of "New Ethical Assessment…". */

import { Dialog } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { Form } from './form.js';
import { IKnown, IKnownThing } from './server.js';

export interface INewAssessment {
  title: string;
  level: string;
  system: string;
  train: string;
  test: string;
  folder: string;
}

export class NewAssessmentBody extends Form implements Dialog.IBodyWidget<INewAssessment> {
  constructor(known: IKnown, cwd: string) {
    const corpora = known.corpora.map(choice);
    const here = cwd ? `${cwd}/` : '';
    super([
      { name: 'title', label: 'Title', help: 'Stands on the first page of the audit document.' },
      {
        name: 'level',
        label: 'Independence',
        strict: true,
        choices: [{ value: '', label: 'To be stated in the case file' }, ...known.levels.map(levelChoice)],
        help: 'Who assesses: until it is stated, the document is a draft.'
      },
      {
        name: 'system',
        label: 'System',
        choices: known.systems.map(choice),
        help: 'A known system, or KIND:VALUE such as sklearn:model.skops or scores:column. May be left empty.'
      },
      {
        name: 'test',
        label: 'Test corpus',
        choices: corpora,
        width: 'half',
        help: 'A known corpus, or a file below the file browser’s top folder.'
      },
      {
        name: 'train',
        label: 'Training corpus',
        choices: corpora,
        width: 'half',
        help: 'Likewise. Without one, data bias is not assessed.'
      },
      { name: 'folder', label: 'Folder', value: `${here}assessment`, help: 'Made if it is missing.' }
    ]);
  }

  getValue(): INewAssessment {
    return {
      title: this.text('title'),
      level: this.text('level'),
      system: this.text('system'),
      train: this.text('train'),
      test: this.text('test'),
      folder: PathExt.normalize(this.text('folder'))
    };
  }
}

function choice(thing: IKnownThing): { value: string; label: string } {
  return { value: thing.name, label: thing.title };
}

const LEVELS: Record<string, string> = {
  'first-party': 'First party: by those who build the system',
  'second-party': 'Second party: by those who buy or use it',
  'third-party': 'Third party: by someone independent of both'
};

function levelChoice(level: string): { value: string; label: string } {
  return { value: level, label: LEVELS[level] ?? level };
}
