/** Makes the desk of a terminal: its theme, keys and screen are those of the interactive mode. */
import type { CommandCall } from '@tenon/command-line/api';
import {
  backgroundIsDark,
  BUILT_IN_THEMES,
  colorDepth,
  createHighlighter,
  createTheme,
  loadMarkdown,
} from '@tenon/components';
import type { KernelView } from '@tenon/host';
import type { ScreenParts } from '@tenon/interactive-mode/api';
import { messageOf, type PluginContext } from '@tenon/kernel';
import { loadAccelerator } from '@tenon/native';
import { FactFinder, link, MainScreen, ProcessTerminal } from '@tenon/screen';
import { renderers, screenThemes } from '@tenon/screen-slots/api';
import { tools } from '@tenon/tools/api';
import { Desk } from './desk.ts';
import { errors } from './errors.ts';

/** What a desk is opened with. */
export interface DeskCall {
  readonly call: CommandCall;
  readonly ctx: Pick<PluginContext, 'read' | 'log'>;
  readonly parts: ScreenParts;
  readonly settings: KernelView['settings'];
  readonly url: string;
}

/** Makes it; nothing is drawn yet. */
export async function openDesk({ call, ctx, parts, settings, url }: DeskCall): Promise<Desk> {
  const { env } = process;
  const [theme, keys, thoughts, editor] = await Promise.all(
    ['theme', 'keys', 'thoughts', 'editor'].map(async (name) => settings.get(`interactive-mode.${name}`)),
  );
  const facts = new FactFinder({
    environment: env,
    onChange: ({ background }) => {
      if (!background) return;
      const isDark = backgroundIsDark(background.red, background.green, background.blue);
      void themes.setBackground(isDark).then(() => desk.requestFrame());
    },
  });
  if (facts.facts.kind === 'none') throw errors.create('ATTACH_NO_TERMINAL');
  const depth = call.io.color ? colorDepth(env, true) : 'none';
  const first = createTheme(BUILT_IN_THEMES.dark, depth);
  const wanted = typeof theme === 'string' ? theme : 'auto';
  const themes = new parts.ThemeChoice(ctx.read(screenThemes), { wanted, depth, isDark: true, first });
  if (ctx.read(screenThemes).get(wanted)) await themes.use(wanted);
  const keymap = new parts.Keymap();
  if (typeof keys === 'object' && keys !== null) keymap.setUserKeys(keys as Parameters<typeof keymap.setUserKeys>[0]);
  const text = await loadAccelerator('text');
  const table = new parts.RendererTable(ctx.read(renderers), {
    tools: ctx.read(tools),
    general: parts.generalRenderer,
    log: ctx.log,
  });
  // Rows that are shown stay as they are: cards must look right the first time.
  const names = ctx
    .read(renderers)
    .list()
    // What isolated packs write is not drawn here: the calls are those of another process.
    .filter(({ source }) => source.foreign !== true)
    .map(({ key }) => key);
  await Promise.all([...names.map((name) => table.load(name)), parts.prepareDiffs()]);
  const desk = new Desk({
    parts,
    text,
    markdown: await loadMarkdown(),
    markdownStyle: {
      get theme() {
        return themes.current;
      },
      text,
      highlighter: createHighlighter(),
      ...(facts.facts.links && { link }),
    },
    keymap,
    renderers: table,
    thoughts: thoughts === 'all' || thoughts === 'none' ? thoughts : 'folded',
    editor: editor === 'vi' ? 'vi' : 'plain',
    cwd: call.cwd,
    url,
    theme: () => themes.current,
    newScreen: (onInput) =>
      new MainScreen({
        terminal: new ProcessTerminal(),
        text,
        facts,
        onInput,
        onError: (fault) => ctx.log.warn(`the screen: ${messageOf(fault)}`),
        onGone: () => desk.leave(),
      }),
  });
  return desk;
}
