/** What oh-my-pi's own settings switch off: `disabledExtensions: [extension-module:NAME]`. */
import { basename, dirname, extname } from 'node:path';
import { type Discovery, foreignSettings } from '@tenon/discovery/api';
import { type FoundModule, nameOf } from './modules.ts';

/** The kinds of things in `disabledExtensions` that are modules. */
const ENTRY = /^(?:extension-module|extension|hook|tool):(.+)$/;

/** Finds out why a module is not loaded, if a settings file of oh-my-pi says so. */
export async function switchedOffByOwner(
  discovery: Discovery | undefined,
  cwd: string,
): Promise<(module: FoundModule) => string | undefined> {
  const { items = [] } = (await discovery?.load(foreignSettings, cwd)) ?? {};
  const entries = items
    .filter(({ family }) => family === 'pi')
    .flatMap(({ value, level }) =>
      textsOf(value.data['disabledExtensions']).flatMap((text) => {
        const name = ENTRY.exec(text)?.[1];
        return name === undefined ? [] : [{ name, level, file: value.path }];
      }),
    );
  return ({ file, level, from }) => {
    // What is named on the command line is wanted, whatever was decided before.
    if (from === 'command line') return undefined;
    const names = new Set([nameOf(file), plainName(file)]);
    // A project switches off what is its own: the user's guards are not its business.
    const entry = entries.find((one) => names.has(one.name) && (one.level === 'user' || level === 'project'));
    return entry && `"disabledExtensions" in ${entry.file} names it`;
  };
}

/** As oh-my-pi names modules: `/x/foo.ts` is foo, `/x/bar/index.ts` is bar. */
function plainName(file: string): string {
  const stem = basename(file, extname(file));
  return stem === 'index' ? basename(dirname(file)) : stem;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}
