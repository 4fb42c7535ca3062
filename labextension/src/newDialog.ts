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
      { name: 'title', label: 'Title' },
      { name: 'folder', label: 'Folder', value: `${here}assessment`, width: 'half', help: 'Made if it is missing.' },
      {
        name: 'level',
        label: 'Independence',
        strict: true,
        width: 'half',
        choices: [{ value: '', label: 'To be stated' }, ...known.levels.map(levelChoice)],
        help: 'Until it is stated, the document is a draft.'
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
      }
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
  'first-party': 'First party: its developers',
  'second-party': 'Second party: its buyers or users',
  'third-party': 'Third party: independent of both'
};

function levelChoice(level: string): { value: string; label: string } {
  return { value: level, label: LEVELS[level] ?? level };
}
