/** What the end of a command means. */
import { type ShellEnd, MAX_OUTPUT_BYTES } from './command-run.ts';
import type { HttpEnd } from './http-hook.ts';
import { type Dialect, type EventSpec, isRecord, type Payload } from './dialects/dialect.ts';
import { REFUSABLE } from './occasion.ts';
import type { Reading } from './outcome.ts';

const REFUSED = 2;
const MAX_SHOWN = 2_000;

/** What is known about a hook that has run. */
interface Judged {
  readonly dialect: Dialect;
  readonly spec: EventSpec;
  readonly payload: Payload;
  /** The hook in one line. */
  readonly label: string;
  readonly timeoutMs: number;
  /** True when a hook that fails refuses. */
  readonly failClosed: boolean;
}

/** What is known when a command has ended. */
export interface Ended extends Judged {
  readonly end: ShellEnd;
}

/** What is known when a request has ended. */
export interface Answered extends Judged {
  readonly end: HttpEnd;
}

/** What a hook says by its exit code and its output. */
export function readEnd(ended: Ended): Reading {
  const { end, label, timeoutMs } = ended;
  switch (end.outcome) {
    case 'cancelled':
      return {};
    case 'not-started':
      return failed(ended, `could not be started: ${end.reason ?? 'no reason was given'}`);
    case 'timed-out':
      return failed(ended, `did not end within ${timeoutMs / 1000} s and was stopped`);
    case 'exited':
  }
  if (end.exitCode === undefined) return failed(ended, `was ended by ${end.reason ?? 'a signal'}`);
  if (end.exitCode === REFUSED) return refusal(ended, said(end) ?? `${label} refused it and did not say why`);
  if (end.exitCode === 126 || end.exitCode === 127)
    return failed(ended, `could not be found or started (exit code ${end.exitCode})${tail(end.stderr)}`);
  if (end.exitCode !== 0)
    return failed(ended, `failed with exit code ${end.exitCode}${tail(end.stderr || end.stdout)}`);
  return readOutput(ended, end);
}

/** What a hook says by its answer over HTTP. */
export function readAnswer(answered: Answered): Reading {
  const { end, timeoutMs } = answered;
  switch (end.outcome) {
    case 'cancelled':
      return {};
    case 'not-reached':
      return failed(answered, `could not be reached: ${end.reason ?? 'no reason was given'}`);
    case 'timed-out':
      return failed(answered, `did not answer within ${timeoutMs / 1000} s`);
    case 'answered':
  }
  const { status = 0 } = end;
  if (status < 200 || status > 299) return failed(answered, `answered with status ${status}${tail(end.stdout)}`);
  const text = end.stdout.trim();
  return text === '' || text.startsWith('{') ? readOutput(answered, end) : withFate(answered, { context: text });
}

function readOutput(ended: Judged, end: Pick<ShellEnd, 'stdout' | 'isCut'>): Reading {
  const { dialect, spec, payload } = ended;
  const text = end.stdout.trim();
  if (text === '') return {};
  if (!text.startsWith('{')) return withFate(ended, dialect.readText(text, spec));
  if (end.isCut) return failed(ended, `printed more than ${MAX_OUTPUT_BYTES / 1000} kB; its answer is not whole`);
  const answer = parsed(text);
  if (!answer) return failed(ended, `printed something that begins like JSON but is none${tail(text)}`);
  return withFate(ended, dialect.read(answer, spec, payload));
}

/** A warning of a dialect names the hook; what cannot be refused here becomes a message for the user. */
function withFate(ended: Judged, reading: Reading): Reading {
  const { warning, ...rest } = reading;
  const labelled = warning === undefined ? rest : { ...rest, warning: `${ended.label} ${warning}` };
  return canRefuse(ended) ? labelled : observed(labelled);
}

function observed({ decision, reason, stop: _stop, ...rest }: Reading): Reading {
  return decision === 'deny' && reason !== undefined ? { ...rest, message: rest.message ?? reason } : rest;
}

function refusal(ended: Judged, reason: string): Reading {
  if (canRefuse(ended)) return ended.dialect.refuse(reason, ended.spec);
  return { message: reason };
}

function failed(ended: Judged, what: string): Reading {
  const warning = `${ended.label} ${what}.`;
  if (!ended.failClosed || !canRefuse(ended)) return { warning };
  return { warning, decision: 'deny', reason: `${warning} It is marked to refuse when it fails.` };
}

function canRefuse({ spec }: Judged): boolean {
  return spec.observes !== true && REFUSABLE.has(spec.moment);
}

/** What a refusing hook said; whatever that is, it refuses. */
function said({ stderr, stdout }: ShellEnd): string | undefined {
  const text = stderr.trim() || stdout.trim();
  return text === '' ? undefined : shortened(text);
}

function tail(text: string): string {
  const words = shortened(text.trim());
  return words === '' ? '' : `: ${words}`;
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // The caller says so.
  }
}
