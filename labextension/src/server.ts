/** Requests to the server's half of fairnb. */

import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import { ISectionInfo } from './assessment.js';
import { StatusError, untilEnd } from './patience.js';

/** What can be named instead of described. */
export interface IKnownThing {
  name: string;
  title: string;
}

export interface IKnown {
  /** Version of fairnb beside JupyterLab. */
  version: string;
  systems: IKnownThing[];
  corpora: IKnownThing[];
  levels: string[];
  sections: ISectionInfo[];
  requirements: string[];
}

/** One reason why a job failed. */
export interface IProblem {
  code: string;
  message: string;
  /** Number of the cell it concerns, from 1; 0 if none. */
  cell: number;
}

export interface IJob {
  id: string;
  state: 'running' | 'done' | 'failed' | 'cancelled';
  exit_code: number | null;
  /** What the command put out for programs. */
  result: unknown;
  /** What it said to people, line by line. */
  said: string[];
  /** What it is at, in its own words; empty if it does not say, such as that of another version. */
  stage: string;
  problems: IProblem[];
}

/** A job that ended otherwise than well. */
export class JobError extends Error {
  constructor(readonly job: IJob) {
    super(job.problems[0]?.message ?? job.said.at(-1) ?? 'fairnb ended without a word');
  }
}

/** Milliseconds between two looks at a job. */
const PAUSE = 400;

export class Server {
  constructor(private readonly settings: ServerConnection.ISettings) {}

  /** Known systems, corpora and sections, and the version beside JupyterLab. */
  async known(): Promise<IKnown> {
    this._known ??= this.ask<IKnown>('known');
    this._known.catch(() => (this._known = undefined));
    return this._known;
  }

  /**
   * Start a job and wait for its end.
   *
   * @param stop - ends the job when aborted.
   * @param onStage - called with what the job is at, whenever that is something else.
   * @returns the job, done.
   * @throws JobError if it failed or was cancelled; Error if it did not begin, or is out of reach.
   */
  async run(
    kind: string,
    body: object,
    stop?: AbortSignal,
    onStage?: (stage: string) => void
  ): Promise<IJob> {
    let stage = '';
    const job = await untilEnd(
      await this.ask<IJob>(`jobs/${kind}`, 'POST', body),
      seen => seen.state === 'running',
      async seen => {
        const now = await this.ask<IJob>(`job/${seen.id}`, stop?.aborted ? 'DELETE' : 'GET');
        if (now.state === 'running' && now.stage && now.stage !== stage) {
          stage = now.stage;
          onStage?.(stage);
        }
        return now;
      },
      () => new Promise(resolve => setTimeout(resolve, PAUSE))
    );
    if (job.state !== 'done') {
      throw new JobError(job);
    }
    return job;
  }

  private async ask<T>(path: string, method = 'GET', body?: object): Promise<T> {
    const address = URLExt.join(this.settings.baseUrl, 'fairnb', path);
    const init: RequestInit = { method, cache: 'no-store' };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
    }
    const response = await ServerConnection.makeRequest(address, init, this.settings);
    // A proxy may answer with a page of its own, also where it says that all is well.
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok || answer === null) {
      const said = (answer as { message?: unknown } | null)?.message;
      throw new StatusError(
        typeof said === 'string' && said
          ? said
          : `The server of fairnb does not answer (${response.status}): install fairnb beside JupyterLab.`,
        response.status
      );
    }
    return answer as T;
  }

  private _known: Promise<IKnown> | undefined;
}
