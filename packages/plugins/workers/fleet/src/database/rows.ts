/** Rows of the log and what they mean. */
import type { RunEvent, RunEventBody, RunNews, RunOutput } from '@tenon/runs/api';

/** A row of the log; numbers of 64 bits come as text. */
export interface LogRow {
  readonly place: string;
  readonly run: string;
  readonly session: number;
  readonly at: string;
  readonly sequence: number | null;
  readonly stream: RunOutput['stream'] | null;
  readonly body: string;
}

/** A row as an event. */
export function eventOf({ place, run, session, at, body }: LogRow): RunEvent {
  return { place: Number(place), run, session, at, what: JSON.parse(body) as RunEventBody };
}

/** A row as a piece of output. */
export function outputOf({ place, run, session, at, sequence, stream, body }: LogRow): RunOutput {
  const text = JSON.parse(body) as string;
  return { place: Number(place), run, session, sequence: sequence ?? 0, at, stream: stream ?? 'stdout', text };
}

/** A row as news. */
export function newsOf(row: LogRow): RunNews {
  return row.sequence === null ? { type: 'event', event: eventOf(row) } : { type: 'output', output: outputOf(row) };
}
