/** The prompt of the screen, with everything that completes it. */
import { faultText } from '@tenon/agent/api';
import { promptHistory } from '@tenon/sessions/api';
import { type SlashCommandInfo, slashCommands } from '@tenon/slash-commands/api';
import { extensionCompletions, mentionCompletions, pathCompletions, slashCompletions } from './prompt/completions.ts';
import { Prompt } from './prompt/prompt.ts';
import type { ScreenRun } from './screen-run.ts';

const MOST_FOUND = 50;
/** Where nothing has to fit the screen. */
const MOST_ROWS = 10_000;

/** What can be written. */
export const PLACEHOLDER = 'Say what to do. / commands · @ files · ! shell · /keys';

/** Makes the prompt of a run. */
export function makePrompt(run: ScreenRun, isPlanning: () => boolean): Prompt {
  const { app, ctx, call, keymap } = run;
  return new Prompt({
    text: app.text,
    keys: (data, action) => keymap.isKey(data, action),
    searchHistory: async (words) =>
      (await (await ctx.find(promptHistory)).search(words, MOST_FOUND)).map(({ prompt }) => prompt),
    theme: () => app.theme,
    rows: () => (app.onlyGrows ? MOST_ROWS : app.rows),
    onError: (fault) => app.notify(faultText(fault), 'warning'),
    isPlanning,
    isBare: run.parts.isPlain,
    mode: ctx.config.editor,
    placeholder: run.parts.onlyGrows ? '' : PLACEHOLDER,
    completions: [
      slashCompletions(() => commandList(run)),
      mentionCompletions(() => call.cwd),
      extensionCompletions(() => run.extensions.completions),
      pathCompletions(() => call.cwd),
    ],
    onSubmit: (draft, images) => void run.send(draft, images, 'steer'),
    requestFrame: () => app.requestFrame(),
  });
}

/** The slash commands: those of the screen and those of every mode. */
export async function commandList({ commands, ctx, call, app }: ScreenRun): Promise<readonly SlashCommandInfo[]> {
  const own = commands.list();
  const service = await ctx.find(slashCommands);
  const others = await service.list({ cwd: call.cwd, ...(app.seated && { session: app.seated.session.id }) });
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...others.filter(({ name }) => !names.has(name))].sort((a, b) => (a.name < b.name ? -1 : 1));
}
