/** What the screen offers to components of extensions, out of the parts of a run. */
import { THEME_ROLES } from '@tenon/components';
import type { ScreenTheme } from '@tenon/host';
import type { ComponentScreenParts } from './component-screen.ts';
import { SCREEN_ACTIONS } from './keys/actions.ts';
import type { ScreenRun } from './screen-run.ts';

/** The parts; they are read when they are used, because a run is still being made. */
export function extensionScreenParts(run: ScreenRun): ComponentScreenParts {
  return {
    app: run.app,
    openOverlay: (component, options) => run.screen.openOverlay(component, options),
    setFooter: (component) => {
      run.surface.footer = component;
      run.app.requestFrame();
    },
    setEditor: (editor) => {
      if (editor) run.app.setPrompt(editor, (text) => editor.setText(text));
      else run.app.setPrompt(run.prompt, (text) => run.prompt.setDraft(text));
    },
    draft: () => run.prompt.draft,
    insert: (text) => {
      run.prompt.editor.insert(text);
      run.app.requestFrame();
    },
    submit: (text) => void run.send(text, [], 'steer'),
    press: (data) => run.press(data),
    theme: () => screenTheme(run),
    themeNames: () => run.themes.names(),
    setTheme: (name) => {
      if (!run.themes.names().includes(name)) return false;
      void run.useTheme(name);
      return true;
    },
    setWorking: (message) => run.surface.setWorkingLabel(message),
    ownKeys: () => Object.keys(SCREEN_ACTIONS).flatMap((action) => run.keymap.keysOf(action)),
  };
}

const PROBE = '\u0000';

/** The sequence that turns each colour on: what stands before a text in it. */
function screenTheme({ themes }: ScreenRun): ScreenTheme {
  const { current } = themes;
  const colors = THEME_ROLES.map((role): [string, string] => {
    const painted = role.endsWith('Bg')
      ? current.bg(role as Parameters<typeof current.bg>[0], PROBE)
      : current.fg(role as Parameters<typeof current.fg>[0], PROBE);
    return [role, painted.slice(0, painted.indexOf(PROBE))];
  });
  return { name: current.name, isDark: current.isDark, colors: Object.fromEntries(colors) };
}
