/** Plays recorded output of a CLI to its parser. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ParserContext, WorkerAdapter, WorkerEvent, WorkerExit, WorkerOutcome } from '../src/api.ts';

const FOLDER = join(import.meta.dirname, 'fixtures/cli-streams');

/** A recorded process. */
export interface Recording {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: WorkerExit;
}

/** The names of the recordings of a CLI. */
export function recordingsOf(cli: string): string[] {
  return readdirSync(join(FOLDER, cli))
    .filter((name) => name.endsWith('.meta'))
    .map((name) => name.slice(0, -'.meta'.length));
}

/** Reads a recording. */
export function recording(cli: string, name: string): Recording {
  const read = (end: string) => {
    const file = join(FOLDER, cli, `${name}.${end}`);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  return {
    stdout: read('jsonl'),
    stderr: read('stderr'),
    exit: { code: Number(/^exit=(\d+)/m.exec(read('meta'))?.[1]) },
  };
}

/** What a parser made of a recording. */
export interface Played {
  readonly events: readonly WorkerEvent[];
  readonly outcome: WorkerOutcome;
}

/** A clock that stands. */
export const NOON = new Date('2026-11-17T12:00:00Z');

/** Pushes pieces in order, then ends. */
export async function play(
  adapter: Pick<WorkerAdapter, 'parser'>,
  pieces: readonly (readonly ['stdout' | 'stderr', string])[],
  exit: WorkerExit,
  context: ParserContext = {},
): Promise<Played> {
  const parser = adapter.parser({ now: () => NOON, ...context });
  const events = pieces.flatMap(([stream, piece]) => [...parser.push(piece, stream)]);
  await parser.ready;
  const outcome = parser.end(exit);
  return { events: [...events, ...outcome.events], outcome };
}

/** Plays a recording of a CLI. */
export function playRecording(
  adapter: Pick<WorkerAdapter, 'parser'>,
  cli: string,
  name: string,
  context?: ParserContext,
): Promise<Played> {
  const { stdout, stderr, exit } = recording(cli, name);
  return play(
    adapter,
    [
      ['stdout', stdout],
      ['stderr', stderr],
    ],
    exit,
    context,
  );
}

/** The events of one type. */
export function ofType<T extends WorkerEvent['type']>(
  events: readonly WorkerEvent[],
  type: T,
): Extract<WorkerEvent, { type: T }>[] {
  return events.filter((event): event is Extract<WorkerEvent, { type: T }> => event.type === type);
}

/** All text, whole and in parts. */
export function textOfEvents(events: readonly WorkerEvent[]): string {
  return ofType(events, 'text')
    .map(({ text }) => text)
    .join('');
}
