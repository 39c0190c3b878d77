/** The whole conversation in a pager, nothing folded. */
import { Pager } from '@tenon/components';
import { plainLine } from '@tenon/wording';
import type { CardStyle } from '../api.ts';
import type { ScreenRun } from '../screen-run.ts';
import { messageOf } from './replay.ts';
import { Transcript } from './transcript.ts';

/** All rows of the session's branch. */
export function transcriptRows(run: ScreenRun, width: number): readonly string[] {
  const { app, renderers } = run;
  const rows: string[] = [];
  const style: CardStyle = { ...app.style, width, isExpanded: true };
  const transcript = new Transcript({
    style: () => style,
    renderer: (tool) => renderers.for(tool),
    newAnswer: () => run.newAnswer(),
    thoughts: 'all',
    append: (more) => void rows.push(...more),
    requestFrame: () => undefined,
  });
  for (const entry of app.agent.session.branch()) {
    const message = messageOf(entry);
    if (message) transcript.replay(message);
  }
  transcript.endReplay();
  return rows;
}

/** Opens the pager at the end of the conversation. */
export async function openTranscript(run: ScreenRun): Promise<void> {
  const { app } = run;
  await app.askFullscreen<void>(
    (done) =>
      new Pager({
        look: app,
        title: plainLine(app.agent.session.header.title ?? 'Conversation'),
        rows: (width) => {
          const rows = transcriptRows(run, width);
          return { length: rows.length, row: (index) => rows[index] ?? '' };
        },
        height: () => app.rows,
        onClose: () => done(undefined),
        requestFrame: () => app.requestFrame(),
      }),
  );
}
