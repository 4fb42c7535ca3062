/** The right-hand panel "Assessment". */

import { closeIcon, ReactWidget, refreshIcon, runIcon, stopIcon, ToolbarButtonComponent } from '@jupyterlab/ui-components';
import * as React from 'react';
import { IAssessment, IRequirement, ISection, mismatch, SectionState } from './assessment.js';
import { assessmentIcon } from './icons.js';
import { AssessmentModel } from './model.js';
import { SEVERITIES, Severity } from './payload.js';

export interface IPanelActions {
  show: (cell: number) => void;
  runStale: () => void;
  runAll: () => void;
  stop: () => void;
  /** Take a cell out of the queue. */
  drop: (cellId: string) => void;
  /** Whether there is a command that begins an assessment. */
  canBegin: () => boolean;
  begin: () => void;
}

export class AssessmentPanel extends ReactWidget {
  constructor(
    private readonly model: AssessmentModel,
    private readonly actions: IPanelActions
  ) {
    super();
    this.id = 'fairnb-assessment';
    this.title.icon = assessmentIcon;
    this.title.caption = 'Assessment';
    this.addClass('fairnb-Panel');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', 'Assessment');
    model.changed.connect(() => this.update());
  }

  protected render(): JSX.Element {
    const { assessment } = this.model;
    return assessment === null ? (
      <Nothing begin={this.actions.canBegin() ? this.actions.begin : null} />
    ) : (
      <Shown assessment={assessment} model={this.model} actions={this.actions} />
    );
  }
}

function Nothing({ begin }: { begin: (() => void) | null }): JSX.Element {
  return (
    <div className="fairnb-Panel-empty">
      <p>The current tab is not the notebook of an assessment.</p>
      {begin && (
        <button className="jp-mod-styled jp-mod-accept" onClick={begin}>
          New Ethical Assessment…
        </button>
      )}
    </div>
  );
}

interface IShownProps {
  assessment: IAssessment;
  model: AssessmentModel;
  actions: IPanelActions;
}

function Shown({ assessment, model, actions }: IShownProps): JSX.Element {
  const stale = assessment.sections.some(section => NEEDS_RUN.has(section.state));
  const warning = mismatch(assessment, model.version, model.kernelVersion);
  return (
    <>
      <Toolbar busy={model.busy} stale={stale} actions={actions} />
      <div className="fairnb-Panel-body">
        <h2 className="fairnb-Panel-title">{assessment.title}</h2>
        <h3 title="Findings of all sections, as the document counts them; it counts verdicts apart">
          Findings by severity
        </h3>
        {assessment.uncounted ? (
          <p className="fairnb-Counts-none">
            <span aria-hidden="true">– </span>
            {assessment.uncounted}
          </p>
        ) : (
          <Counts counts={assessment.counts} />
        )}
        <h3>Requirements</h3>
        <ul className="fairnb-Requirements">
          {assessment.requirements.map(requirement => (
            <Requirement
              key={requirement.id}
              requirement={requirement}
              name={model.requirements[requirement.id - 1] ?? `Requirement ${requirement.id}`}
            />
          ))}
        </ul>
        <h3>Sections</h3>
        <ul className="fairnb-Sections">
          {assessment.sections.map(section => (
            <Section
              key={`${section.cellId} ${section.id}`}
              section={section}
              show={actions.show}
              drop={model.canDrop(section.cellId) ? () => actions.drop(section.cellId) : null}
            />
          ))}
        </ul>
      </div>
      <footer className="fairnb-Panel-foot">
        {warning && (
          <p className="fairnb-mod-warning" role="status">
            {warning}
          </p>
        )}
        <p>{versions(model)}</p>
      </footer>
    </>
  );
}

/** Places of the buttons while nothing runs. */
const STALE = 0;
const ALL = 1;

interface IToolbarProps {
  busy: boolean;
  /** Whether a section is there for Run Stale. */
  stale: boolean;
  actions: IPanelActions;
}

/**
 * What runs sections, or stops them.
 *
 * A button that goes away or can no longer be pressed would leave the keyboard at the top of the page: the focus
 * goes to what stands in its place, and back to the button it came from. A class, because only classes can see
 * where the focus is before the page changes.
 */
class Toolbar extends React.Component<IToolbarProps> {
  render(): JSX.Element {
    const { busy, stale, actions } = this.props;
    // Keys, or Stop would be Run Stale under another name, which takes no focus as long as it is disabled.
    return (
      <div ref={this._node} className="fairnb-Panel-toolbar" role="toolbar" aria-label="Run sections">
        {busy ? (
          <ToolbarButtonComponent
            key="stop"
            icon={stopIcon}
            label="Stop"
            tooltip="Stop what runs after the batch at hand, and do not begin what waits; what is finished stays"
            onClick={actions.stop}
          />
        ) : (
          <>
            <ToolbarButtonComponent
              key="stale"
              icon={refreshIcon}
              label="Run Stale"
              tooltip="Run the sections whose results are missing or no longer true"
              enabled={stale}
              onClick={actions.runStale}
            />
            <ToolbarButtonComponent
              key="all"
              icon={runIcon}
              label="Run All"
              tooltip="Run every cell in order; results that are still true are replayed"
              onClick={actions.runAll}
            />
          </>
        )}
      </div>
    );
  }

  /** Number of the button that has the focus; -1 if none has. */
  getSnapshotBeforeUpdate(): number {
    return this._buttons().indexOf(document.activeElement as HTMLElement);
  }

  componentDidUpdate(before: IToolbarProps, _: unknown, focused: number): void {
    const { busy, stale } = this.props;
    if (focused === -1 || (before.busy === busy && before.stale === stale)) {
      return;
    }
    if (busy && !before.busy) {
      this._from = focused;
    }
    const next = busy ? 0 : before.busy ? this._from : focused;
    const buttons = this._buttons();
    // Run All can be pressed whenever it is there.
    buttons[next === STALE && !busy && !stale ? ALL : next]?.focus();
  }

  private _buttons(): HTMLElement[] {
    return [...(this._node.current?.querySelectorAll<HTMLElement>('.jp-ToolbarButtonComponent') ?? [])];
  }

  private readonly _node = React.createRef<HTMLDivElement>();
  /** Button that had the focus before Stop. */
  private _from = ALL;
}

function versions(model: AssessmentModel): string {
  const here = model.version ? `${model.version} in JupyterLab` : 'no server part in JupyterLab';
  return model.kernelVersion ? `fairnb ${model.kernelVersion} in kernel, ${here}` : `fairnb ${here}`;
}

/** States that Run Stale is for. */
export const NEEDS_RUN: ReadonlySet<SectionState> = new Set<SectionState>([
  'stale',
  'not run',
  'failed',
  'stopped'
]);

const STATES: Record<SectionState, string> = {
  running: 'running',
  queued: 'queued',
  failed: 'failed',
  stopped: 'stopped',
  'not run': 'not run',
  stale: 'stale: what it rests on has changed',
  'not applicable': 'not applicable',
  fresh: 'up to date',
  unchecked: 'has a result'
};

interface ISectionProps {
  section: ISection;
  show: (cell: number) => void;
  /** Takes it out of the queue; null if it does not wait there. */
  drop: (() => void) | null;
}

function Section({ section, show, drop }: ISectionProps): JSX.Element {
  const said = section.reason ? `${STATES[section.state]}: ${section.reason}` : STATES[section.state];
  const short = section.state === 'stale' ? 'stale' : STATES[section.state];
  const quiet = section.state === 'fresh' || section.state === 'unchecked';
  const told = section.state === 'failed' || section.state === 'stopped';
  return (
    <li className="fairnb-Section-item">
      <button className="fairnb-Section" title={said} onClick={() => show(section.cell)}>
        <span className="fairnb-Section-dot" data-state={section.state} aria-hidden="true" />
        <span className="fairnb-Section-words">
          <span className="fairnb-Section-title">
            {section.title}
            {told && section.reason && <span className="fairnb-Section-reason">{section.reason}</span>}
          </span>
          <span className="fairnb-Section-end">
            {quiet ? (
              <span className="fairnb-visually-hidden">{said}</span>
            ) : (
              <span className="fairnb-Section-state">{short}</span>
            )}
            <Marks section={section} />
          </span>
        </span>
      </button>
      {drop && (
        <button
          className="fairnb-Section-drop"
          title={`Take ${section.title} out of the queue`}
          aria-label={`Take ${section.title} out of the queue`}
          onClick={drop}
        >
          <closeIcon.react tag="span" width="12px" height="12px" />
        </button>
      )}
    </li>
  );
}

/** Findings of one section as small numbers, gravest first; the conclusion only repeats the others'. */
function Marks({ section }: { section: ISection }): JSX.Element | null {
  if (section.id === 'conclusion') {
    return null;
  }
  const found = SEVERITIES.map(
    severity => [severity, section.findings.filter(item => item.severity === severity).length] as const
  ).filter(([, count]) => count > 0);
  return (
    <span className="fairnb-Marks">
      {found.map(([severity, count]) => (
        <span key={severity} className="fairnb-Mark" data-severity={severity} title={`${count} ${severity}`}>
          {count}
          <span className="fairnb-visually-hidden"> {severity}</span>
        </span>
      ))}
    </span>
  );
}

function Counts({ counts }: { counts: Record<Severity, number> }): JSX.Element {
  const names: Record<Severity, string> = {
    high: 'high',
    medium: 'medium',
    low: 'low',
    observation: counts.observation === 1 ? 'observation' : 'observations'
  };
  return (
    <ul className="fairnb-Counts" aria-label="Findings by severity">
      {SEVERITIES.map(severity => (
        <li key={severity} data-severity={severity} data-none={counts[severity] === 0}>
          <strong>{counts[severity]}</strong> {names[severity]}
        </li>
      ))}
    </ul>
  );
}

function Requirement({ requirement, name }: { requirement: IRequirement; name: string }): JSX.Element {
  const assessed = requirement.sections
    ? `${requirement.assessed} of ${requirement.sections} sections assessed`
    : 'no section of this notebook concerns it';
  const found = SEVERITIES.filter(severity => requirement.counts[severity] > 0)
    .map(severity => `${requirement.counts[severity]} ${severity}`)
    .join(', ');
  const said = `${name}: ${assessed}${found ? `; findings: ${found}` : ''}`;
  return (
    <li title={said} data-severity={requirement.worst} data-none={requirement.assessed === 0}>
      <span aria-hidden="true">{requirement.id}</span>
      <span className="fairnb-visually-hidden">{said}</span>
    </li>
  );
}
