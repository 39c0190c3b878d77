/** Who gets a key: extensions that see input first, the screen's actions, shortcuts, actions of packs; the rest is the dialog's or the editor's. */
import { faultText } from '@tenon/agent/api';
import type { TerminalInput } from '@tenon/screen';
import { keybindings } from '@tenon/screen-slots/api';
import type { ScreenRun } from '../screen-run.ts';
import { SCREEN_ACTIONS, type ScreenAction } from './actions.ts';

const ACTIONS = Object.keys(SCREEN_ACTIONS) as ScreenAction[];

/** Routes keys. */
export class KeyRouter {
  readonly #run: ScreenRun;
  readonly #actions: Readonly<Record<ScreenAction, () => void | Promise<void>>>;
  #filtered: Promise<void> = Promise.resolve();

  constructor(run: ScreenRun, actions: Readonly<Record<ScreenAction, () => void | Promise<void>>>) {
    this.#run = run;
    this.#actions = actions;
  }

  /** Sees all input first; true keeps it from whoever has the keys. */
  onInput(input: TerminalInput): boolean {
    if (input.kind === 'report' || (input.kind === 'key' && input.key.event === 'release')) return false;
    const { extensions, app } = this.#run;
    const { data } = input;
    // Never while something is asked: an extension must not see, keep or change an answer.
    if (extensions.seesInput && !app.dialog && !app.hasFullscreen) {
      this.#filtered = this.#filtered.then(() => this.#filter(data));
      return true;
    }
    return input.kind === 'key' && this.press(data);
  }

  /** Lets extensions see input first; the order is kept. */
  async #filter(data: string): Promise<void> {
    const left = await this.#run.extensions.filterInput(data);
    if (left !== undefined && !this.press(left)) this.#run.app.handleInput(left);
  }

  /** Does what a key is for; false when it is the dialog's or the editor's. */
  press(data: string): boolean {
    const { keymap, screen, app, prompt } = this.#run;
    if (keymap.isKey(data, 'app.suspend')) {
      screen.suspend();
      return true;
    }
    if (app.hasFullscreen) return false;
    if (app.dialog) {
      const closes = keymap.isKey(data, 'app.interrupt') || keymap.isKey(data, 'app.clear');
      return closes && app.closeDialog();
    }
    const action = keymap.actionOf(data, ACTIONS);
    if (action === undefined) return this.#foreign(data);
    if (action === 'app.interrupt' && prompt.wantsEscape) return false;
    if (action === 'app.exit' && prompt.draft !== '') return false;
    this.#do(() => this.#actions[action]());
    return true;
  }

  /** Keys of extensions and packs. */
  #foreign(data: string): boolean {
    const { links, app, ctx, keymap, surface } = this.#run;
    const shortcut = links.shortcut(data);
    if (shortcut) {
      this.#do(() => shortcut.run(app.seated?.session.id));
      return true;
    }
    const registry = ctx.read(keybindings);
    const action = keymap.foreignAction(data);
    if (action === undefined || !registry.get(action) || !app.seated) return false;
    const { agent } = app;
    this.#do(async () => {
      await (await registry.resolve(action)).run({ agent });
      surface.askItems();
    });
    return true;
  }

  #do(work: () => void | Promise<void>): void {
    const { app, surface } = this.#run;
    void (async () => work())()
      .catch((fault: unknown) => app.notify(faultText(fault), 'error'))
      .finally(() => surface.refreshStatus());
    app.requestFrame();
  }
}
