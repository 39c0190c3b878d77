/** What the first frame and the first keys do not need. */
import { setTimeout } from 'node:timers/promises';
import { discovery, themes as themeFiles } from '@tenon/discovery/api';
import { promptHistory } from '@tenon/sessions/api';
import { keybindings } from '@tenon/screen-slots/api';
import { plainLine } from '@tenon/wording';
import { prepareDiffs } from './cards/index.ts';
import type { ActionInfo } from './keys/actions.ts';
import type { ScreenRun } from './screen-run.ts';

/** What nobody has asked for yet waits this long. */
const QUIET_MS = 300;
const MOST_PROMPTS = 100;

/** Loads it, behind everything else. */
export async function loadQuietly(run: ScreenRun): Promise<void> {
  const { ctx, app, call, keymap, links, prompt } = run;
  await setTimeout(QUIET_MS, undefined, { ref: false });
  run.refreshStatus();
  await prepareDiffs();
  const actions = ctx.read(keybindings).list();
  keymap.addForeign(Object.fromEntries(actions.map(({ key, data }) => [key, actionInfo(data)])));
  // All actions are known only now, so only now a name can be wrong.
  for (const problem of keymap.setUserKeys(ctx.config.keys)) app.notify(problem, 'warning');
  await links.connect(ctx);
  await findThemes(run);
  const history = await ctx.find(promptHistory);
  prompt.editor.addHistory((await history.recent(MOST_PROMPTS, call.cwd)).toReversed());
}

/** Theme files of the user, of the project, and of what is installed. */
async function findThemes({ ctx, call, themes, app }: ScreenRun): Promise<void> {
  const found = await (await ctx.findOptional(discovery))?.load(themeFiles, call.cwd);
  const problem = await themes.setFiles(new Map(found?.items.map(({ value }) => [value.name, value.path])));
  if (problem !== undefined) app.notify(problem, 'warning');
  app.requestFrame();
}

function actionInfo(data: Readonly<Record<string, unknown>>): ActionInfo {
  const { summary, keys } = data;
  return {
    summary: typeof summary === 'string' ? plainLine(summary) : '',
    keys: Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [],
  };
}
