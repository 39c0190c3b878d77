import type { AgentEvent } from '@tenon/agent/api';
import { EXIT, plainText } from '@tenon/command-line/api';
import type { Launch } from '@tenon/modes/api';
import { SILENT } from '@tenon/modes/api';
import { errors } from './errors.ts';
import { Outcome } from './outcome.ts';

/** Answers one prompt: as text, or with every event as a line of JSON. */
export async function print(launch: Launch, format: 'text' | 'json'): Promise<number> {
  const { prompt, mentions, io, signal } = launch;
  if (prompt === undefined) throw errors.create('PRINT_NO_PROMPT');
  launch.useInterface({ ...SILENT, notify: (message) => void io.err(`${plainText(message)}\n`) });
  const { agent, modelFallbackMessage } = await launch.open();
  if (modelFallbackMessage !== undefined) await io.err(`${plainText(modelFallbackMessage)}\n`);

  const outcome = new Outcome(agent);
  const writer = format === 'json' ? launch.eventWriter() : undefined;
  writer?.send(agent.session.header);
  agent.subscribe((event) => {
    outcome.note(event);
    if (writer) writer.send(event);
    else if (noticeIn(event) !== undefined) void io.err(`${plainText(noticeIn(event) ?? '')}\n`);
  });
  const stop = () => void agent.abort();
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (mentions) agent.nextTurn(mentions);
    await agent.prompt(prompt);
    if (!writer && outcome.text() !== '') await io.out(`${outcome.text().replace(/\n$/, '')}\n`);
    await writer?.finish();
  } finally {
    signal.removeEventListener('abort', stop);
    await agent.dispose();
  }
  const problems = outcome.problems();
  for (const { message, next } of problems) await io.err(`${plainText(message)}\n  next: ${plainText(next)}\n`);
  return problems.length > 0 ? EXIT.failure : EXIT.ok;
}

/** What a person should know while waiting. */
function noticeIn(event: AgentEvent): string | undefined {
  if (event.type === 'notice') return event.text;
  if (event.type === 'auto_retry_start')
    return `The model is asked again (${event.attempt} of ${event.maxAttempts}) in ${Math.ceil(event.delayMs / 1000)} s: ${event.reason}`;
  if (event.type === 'loop_suspected')
    return `The agent has called "${event.toolName}" ${event.repeats} times with the same result.`;
  return event.type === 'auto_compaction_end' ? event.errorMessage : undefined;
}
