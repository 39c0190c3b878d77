import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_THEMES, createTheme } from '@tenon/components';
import type { Registry } from '@tenon/kernel';
import { temporaryFolder } from '@tenon/test-kit/temporary';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ThemeFile } from '@tenon/screen-slots/api';
import { ThemeChoice } from '../src/theme-choice.ts';

const entries = Object.entries(BUILT_IN_THEMES);
const registry = {
  list: () => entries.map(([key]) => ({ key })),
  get: (key: string) => entries.find(([name]) => name === key),
  resolve: async (key: string) => entries.find(([name]) => name === key)?.[1],
} as unknown as Registry<ThemeFile>;
const first = createTheme(BUILT_IN_THEMES.dark, 'truecolor');
const choice = (wanted: string) => new ThemeChoice(registry, { wanted, depth: 'truecolor', isDark: true, first });

let folder: string;
beforeEach(() => (folder = temporaryFolder('themes')));

describe('the theme', () => {
  it('follows the background of the terminal, unless the user chose one', async () => {
    const auto = choice('auto');
    await auto.setBackground(false);
    expect(auto.current.name).toBe('light');
    const chosen = choice('dark');
    await chosen.use('ansi');
    await chosen.setBackground(false);
    expect(chosen.current.name).toBe('ansi');
  });

  it('can be a file in the form of pi that was found', async () => {
    const path = join(folder, 'sea.json');
    writeFileSync(path, JSON.stringify({ name: 'sea', vars: { blue: '#3366ff' }, colors: { accent: 'blue' } }));
    const themes = choice('sea');
    expect(await themes.setFiles(new Map([['sea', path]]))).toBeUndefined();
    expect(themes.current.fg('accent', 'x')).toContain('38;2;51;102;255');
    expect(themes.names()).toEqual(['auto', ...entries.map(([name]) => name), 'sea']);
  });

  it('stays as it was when a file cannot be used, and says why', async () => {
    const path = join(folder, 'bad.json');
    const themes = choice('auto');
    writeFileSync(path, '{ "name": "bad", "colors": { "accent": "#zzz" } }');
    await themes.setFiles(new Map([['bad', path]]));
    expect(await themes.use('bad')).toContain('cannot be used');
    writeFileSync(path, 'no json');
    expect(await themes.use('bad')).toContain('cannot be read');
    expect(await themes.use('none')).toContain('There is no theme "none"');
    expect(themes.current).toBe(first);
  });
});
