/** Rows of messages outside of the transcript that grows: those of the pager, and those before what a fullscreen shows. */
import type { AgentMessage } from '@tenon/sessions/api';
import type { CardStyle } from '@tenon/screen-slots/api';
import type { ScreenRun } from '../screen-run.ts';
import { replay } from './replay.ts';
import { Transcript, type TranscriptHost } from './transcript.ts';

/** The rows of the messages before those that are shown, as the screen shows them; nothing when there are none. */
export function earlierRows(run: ScreenRun): readonly string[] | undefined {
  const messages = run.app.takeEarlier();
  return messages && rowsOf(run, messages, { style: run.app.style, thoughts: run.ctx.config.thoughts });
}

/** The rows of messages. */
export function rowsOf(
  run: ScreenRun,
  messages: readonly AgentMessage[],
  { style, thoughts }: { readonly style: CardStyle; readonly thoughts: TranscriptHost['thoughts'] },
): readonly string[] {
  const rows: string[] = [];
  const transcript = new Transcript({
    style: () => style,
    renderer: (tool) => run.renderers.for(tool),
    newAnswer: () => run.newAnswer(),
    thoughts,
    append: (more) => void rows.push(...more),
    requestFrame: () => undefined,
  });
  replay(transcript, messages);
  return rows;
}
