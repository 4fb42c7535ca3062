/** Waiting for what goes on elsewhere: a hiccup on the way there is not its end. */

/** Looks in a row that may fail. */
const HICCUPS = 5;

/** An answer that is none, with its HTTP status. */
export class StatusError extends Error {
  constructor(
    message: string,
    readonly status: number
  ) {
    super(message);
  }
}

/**
 * Look again and again until something has ended.
 *
 * @param first - what was seen at first.
 * @param goesOn - whether what was seen goes on.
 * @param look - one look at what was seen last.
 * @param pause - waits between two looks.
 * @returns what was seen at the end.
 * @throws what a look threw, if that was an answer: there is no such thing, or it is not for us. Error if too
 * many looks in a row had none.
 */
export async function untilEnd<T>(
  first: T,
  goesOn: (seen: T) => boolean,
  look: (seen: T) => Promise<T>,
  pause: () => Promise<void>
): Promise<T> {
  let seen = first;
  let failed = 0;
  while (goesOn(seen)) {
    await pause();
    try {
      seen = await look(seen);
      failed = 0;
    } catch (error) {
      if (isAnswer(error)) {
        throw error;
      }
      failed += 1;
      if (failed > HICCUPS) {
        throw new Error('The server does not answer; the job may still run.');
      }
    }
  }
  return seen;
}

/** Statuses from 400 that only ask for patience: too slow, too often. */
const LATER = [408, 429];

function isAnswer(error: unknown): boolean {
  return (
    error instanceof StatusError && error.status >= 400 && error.status < 500 && !LATER.includes(error.status)
  );
}
