/** The dialogs of a run. */
import type { UserInterface } from '@tenon/host';
import { createFilePreviews, createInterface } from './dialogs/index.ts';
import { editOutside } from './prompt/external-editor.ts';
import type { ScreenRun } from './screen-run.ts';

/** Makes what asks. */
export function makeDialogs(run: ScreenRun): UserInterface {
  const { app, surface, signals } = run;
  return createInterface(app, {
    setStatus: (key, text) => surface.setStatus(key, text),
    setWidget: (key, lines) => surface.setWidget(key, lines),
    setTitle: (title) => signals.setTitle('ready', undefined, title),
    preview: createFilePreviews(app.ctx),
    externalEditor: (text) => run.handOver(() => editOutside(text)),
    onWaiting: ({ tool, input, session }, isWaiting) => {
      // Calls of subagents have no card of their own here.
      if (session === undefined || session === app.seated?.session.id)
        app.transcript.setWaiting(tool, input, isWaiting);
    },
    onAsking: (isAsking) => {
      const title = app.seated?.session.header.title;
      signals.setTitle(isAsking ? 'asking' : run.isRunning ? 'working' : 'ready', title);
      // Somebody who waits for the agent has looked away: a question is worth a sign after a short while, too.
      if (isAsking) signals.notify('Tenon has a question.', Math.max(surface.workedMs, 0));
      app.requestFrame();
    },
  });
}
