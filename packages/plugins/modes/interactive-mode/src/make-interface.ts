/** How plugins talk to the user on this screen: dialogs, notices, and components of extensions. Dialogs are loaded with the first question. */
import type { UserInterface } from '@tenon/host';
import type { ScreenRun } from './screen-run.ts';

/** The interface of a run. */
export function makeInterface(run: ScreenRun): UserInterface {
  const { app, surface, signals, extensions, terminals } = run;
  let loading: Promise<UserInterface> | undefined;
  const dialogs = () => (loading ??= import('./make-dialogs.ts').then(({ makeDialogs }) => makeDialogs(run)));
  return {
    canAsk: () => true,
    select: async (...words) => (await dialogs()).select(...words),
    confirm: async (...words) => (await dialogs()).confirm(...words),
    input: async (...words) => (await dialogs()).input(...words),
    editor: async (...words) => (await dialogs()).editor(...words),
    decide: async (...words) => (await dialogs()).decide?.(...words),
    fillIn: async (...words) => (await dialogs()).fillIn?.(...words),
    notify: (message, kind) => app.notify(message, kind),
    setStatus: (key, text) => surface.setStatus(key, text),
    setWidget: (key, lines) => surface.setWidget(key, lines),
    setTitle: (title) => signals.setTitle('ready', undefined, title),
    setEditorText: (text) => app.setDraft(text),
    screen: extensions,
    attachTerminal: (terminal) => terminals.attach(terminal),
  };
}
