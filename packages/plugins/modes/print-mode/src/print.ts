import type { HeldApproval } from '@tenon/approval/api';
import { EXIT } from '@tenon/command-line/api';
import { plainText } from '@tenon/wording';
import type { TenonError } from '@tenon/kernel';
import type { ModeCall } from '@tenon/modes/api';
import { SILENT } from '@tenon/host';
import { errors } from './errors.ts';
import { Notices } from './notices.ts';
import { Outcome } from './outcome.ts';

/** What print mode asks other plugins. */
export interface PrintHost {
  /** The calls that wait for a person's answer. */
  held(): Promise<readonly HeldApproval[]>;
}

/** Answers one prompt: as text, or with every event as a line of JSON. */
export async function print(call: ModeCall, format: 'text' | 'json', host: PrintHost): Promise<number> {
  const { prompt, mentions, io, signal } = call;
  if (prompt === undefined) throw errors.create('PRINT_NO_PROMPT');
  call.useInterface({ ...SILENT, notify: (message) => void io.err(`${plainText(message)}\n`) });
  const { agent, modelFallbackMessage } = await call.open();
  if (modelFallbackMessage !== undefined) await io.err(`${plainText(modelFallbackMessage)}\n`);

  const outcome = new Outcome(agent);
  const notices = new Notices(agent);
  const writer = format === 'json' ? call.eventWriter() : undefined;
  writer?.send(agent.session.header);
  agent.subscribe((event) => {
    outcome.note(event);
    if (writer) return writer.send(event);
    const notice = notices.textOf(event);
    if (notice !== undefined) void io.err(`${plainText(notice)}\n`);
  });
  const stop = () => void agent.abort();
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (mentions) agent.nextTurn(mentions);
    await agent.prompt(prompt);
    const answer = outcome.text();
    // A program gets what the model wrote; a terminal gets text and nothing that acts.
    if (!writer && answer !== '') await io.out(`${(io.terminal ? plainText(answer) : answer).replace(/\n$/, '')}\n`);
  } finally {
    signal.removeEventListener('abort', stop);
    await agent.dispose();
    await writer?.finish();
  }
  const held = outcome.hasRefusals ? await host.held() : [];
  const { problems, refusals } = outcome.report(held, call.isPersistent);
  await io.err(format === 'json' ? asJson(refusals, problems) : asText([...refusals, ...problems]));
  return problems.length > 0 ? EXIT.failure : EXIT.ok;
}

function asText(told: readonly TenonError[]): string {
  return told.map(({ message, next }) => `${plainText(message)}\n  next: ${plainText(next)}\n`).join('');
}

/** As the shell reports failures and warnings to programs. */
function asJson(refusals: readonly TenonError[], problems: readonly TenonError[]): string {
  const diagnostics = refusals.map((refusal) => ({ severity: 'warning', ...refusal.toJSON() }));
  const lines = [...(diagnostics.length > 0 ? [{ diagnostics }] : []), ...problems.map((error) => ({ error }))];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
