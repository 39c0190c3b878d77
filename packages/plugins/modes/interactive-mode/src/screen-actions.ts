/** What the keys of the screen do. */
import { planMode } from '@tenon/planning-tools/api';
import { modelRegistry, THINKING_LEVELS } from '@tenon/models/api';
import type { ScreenAction } from './keys/actions.ts';
import { clipboardImage } from './prompt/clipboard-image.ts';
import { editOutside, editorCommand } from './prompt/external-editor.ts';
import type { ScreenRun } from './screen-run.ts';

/** A function for every action. */
export function screenActions(run: ScreenRun): Readonly<Record<ScreenAction, () => void | Promise<void>>> {
  const command = (name: string) => async () => void (await run.commands.run(name, ''));
  return {
    'app.interrupt': () => run.leaving.escape(),
    'app.clear': () => run.leaving.clear(),
    'app.exit': () => run.leave(),
    'app.suspend': () => run.screen.suspend(),
    // A frame writes only what changed; a terminal that was given away and taken again is drawn anew.
    'app.redraw': () => run.handOver(async () => undefined),
    'app.submitLater': async () => {
      const { text, images } = run.prompt.take();
      await run.send(text, images, 'followUp');
    },
    'app.editQueued': () => run.takeQueued(),
    'app.externalEditor': () => editDraft(run),
    'app.pasteImage': () => pasteImage(run),
    'app.thinking': () => nextThinking(run),
    'app.nextModel': () => nextModel(run),
    'app.pickModel': command('model'),
    'app.planMode': () => togglePlanning(run),
    'app.expand': () => toggleExpanded(run),
    'app.transcript': command('transcript'),
    'app.plan': () => run.panels.togglePlan(),
    'app.sessions': command('resume'),
    'app.tree': command('tree'),
    'app.jobs': command('jobs'),
    'app.held': command('held'),
  };
}

function toggleExpanded({ app, surface }: ScreenRun): void {
  app.isExpanded = !app.isExpanded;
  const earlier = `${app.keysOf('app.transcript')[0] ?? '/transcript'} shows the whole conversation.`;
  surface.hint(app.isExpanded ? `Cards are shown whole from now on; ${earlier}` : `Cards are folded again; ${earlier}`);
}

async function editDraft(run: ScreenRun): Promise<void> {
  const { prompt, app } = run;
  const text = await run.handOver(() => editOutside(prompt.draft));
  if (text === undefined)
    app.notify(
      `${editorCommand()} ended with an error, so the draft stays as it was. Set VISUAL or EDITOR to the editor that you want.`,
      'warning',
    );
  else app.setDraft(text);
}

async function pasteImage({ prompt, app }: ScreenRun): Promise<void> {
  const image = await clipboardImage();
  if (image) prompt.attach(image);
  else
    app.notify(
      'There is no image in the clipboard, or no program that reads it (wl-paste, xclip, pngpaste). Write @FILE for an image in a file.',
      'warning',
    );
}

async function nextThinking(run: ScreenRun): Promise<void> {
  const { app } = run;
  const agent = await run.ready();
  const { model, thinking } = agent.state;
  if (!model.reasoning) {
    app.notify(`${model.id} does not think.`);
    return;
  }
  const level = THINKING_LEVELS[(THINKING_LEVELS.indexOf(thinking) + 1) % THINKING_LEVELS.length] ?? 'off';
  await agent.setThinking(level);
}

async function nextModel(run: ScreenRun): Promise<void> {
  const { app, ctx } = run;
  const agent = await run.ready();
  const all = (await (await ctx.find(modelRegistry)).list()).filter(({ available }) => available);
  const { provider, id } = agent.state.model;
  const at = all.findIndex((model) => model.provider === provider && model.id === id);
  const next = all[(at + 1) % all.length];
  if (!next || all.length < 2) {
    app.notify('There is no other model. `tenon auth login` and `tenon models list` help.');
    return;
  }
  await agent.setModel(next);
}

async function togglePlanning(run: ScreenRun): Promise<void> {
  const { app, ctx } = run;
  const { id } = (await run.ready()).session;
  const plans = await ctx.find(planMode);
  const isOn = !plans.isOn(id);
  await plans.set(id, isOn);
  app.notify(
    isOn
      ? 'Planning: the agent reads and plans, and changes nothing until you send /plan approve or /plan off.'
      : 'Planning has ended; files may be changed again.',
  );
}
