/** The theme of the moment: the user's, or dark or light as the terminal is. */
import { readFile, stat } from 'node:fs/promises';
import { checkThemeFile, type ColorDepth, createTheme, type Theme } from '@tenon/components';
import { messageOf, type Registry } from '@tenon/kernel';
import type { ThemeFile } from '@tenon/screen-slots/api';

/** What the setting says when the terminal's background decides. */
export const AUTO_THEME = 'auto';

const MOST_BYTES = 200_000;

/** Chooses and makes themes. */
export class ThemeChoice {
  readonly #registry: Registry<ThemeFile>;
  readonly #depth: ColorDepth;
  readonly #made = new Map<string, Theme>();
  #files: ReadonlyMap<string, string> = new Map();
  #wanted: string;
  #isDark: boolean;
  #current: Theme;

  constructor(
    registry: Registry<ThemeFile>,
    options: { wanted: string; depth: ColorDepth; isDark: boolean; first: Theme },
  ) {
    this.#registry = registry;
    this.#depth = options.depth;
    this.#wanted = options.wanted;
    this.#isDark = options.isDark;
    this.#current = options.first;
  }

  get current(): Theme {
    return this.#current;
  }

  get wanted(): string {
    return this.#wanted;
  }

  names(): readonly string[] {
    return [...new Set([AUTO_THEME, ...this.#registry.list().map(({ key }) => key), ...this.#files.keys()])];
  }

  /** Theme files that were found, by name; the user's choice may be one of them. */
  async setFiles(files: ReadonlyMap<string, string>): Promise<string | undefined> {
    this.#files = files;
    const isWaiting = this.#wanted !== AUTO_THEME && this.#current.name !== this.#wanted;
    return isWaiting ? this.#apply() : undefined;
  }

  /** Uses a theme by name; gives a sentence when there is none. */
  async use(name: string): Promise<string | undefined> {
    this.#wanted = name;
    return this.#apply();
  }

  /** The terminal has said how its background is. */
  async setBackground(isDark: boolean): Promise<void> {
    if (isDark === this.#isDark) return;
    this.#isDark = isDark;
    if (this.#wanted === AUTO_THEME) await this.#apply();
  }

  async #apply(): Promise<string | undefined> {
    const name = this.#wanted === AUTO_THEME ? (this.#isDark ? 'dark' : 'light') : this.#wanted;
    const before = this.#made.get(name);
    if (before) {
      this.#current = before;
      return undefined;
    }
    const made = await this.#make(name);
    if (typeof made === 'string') return made;
    this.#made.set(name, made);
    this.#current = made;
    return undefined;
  }

  /** The theme, or a sentence that says why there is none. */
  async #make(name: string): Promise<Theme | string> {
    if (this.#registry.get(name)) {
      const check = checkThemeFile({ ...(await this.#registry.resolve(name)), name });
      return 'problems' in check
        ? `The theme "${name}" cannot be used. ${check.problems.join(' ')}`
        : createTheme(check.theme, this.#depth);
    }
    const path = this.#files.get(name);
    if (path === undefined) return `There is no theme "${name}"; there are ${this.names().join(', ')}.`;
    try {
      if ((await stat(path)).size > MOST_BYTES) return `The theme ${path} is too long to be one.`;
      const check = checkThemeFile(JSON.parse(await readFile(path, 'utf8')));
      return 'problems' in check
        ? `The theme ${path} cannot be used. ${check.problems.join(' ')}`
        : createTheme(check.theme, this.#depth);
    } catch (fault) {
      return `The theme ${path} cannot be read: ${messageOf(fault)}`;
    }
  }
}
