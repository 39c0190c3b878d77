/** The whole conversation in a pager, nothing folded. */
import { Pager } from '@tenon/components';
import { plainLine } from '@tenon/wording';
import type { ScreenRun } from '../screen-run.ts';
import { rowsOf } from './earlier-rows.ts';
import { messageOf } from './replay.ts';

/** All rows of the session's branch. */
export function transcriptRows(run: ScreenRun, width: number): readonly string[] {
  const messages = [...run.app.agent.session.branch()].flatMap((entry) => messageOf(entry) ?? []);
  return rowsOf(run, messages, { style: { ...run.app.style, width, isExpanded: true }, thoughts: 'all' });
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
