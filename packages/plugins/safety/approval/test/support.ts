/** Where commands are judged in tests, and folders for what needs real ones. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Folders } from '@tenon/host';
import { protectedPlacesOf } from '@tenon/sandbox/api';
import type { Tier } from '../src/api.ts';
import { assessCommand } from '../src/judge/assess.ts';
import { worstTier } from '../src/judge/finding.ts';
import type { Surroundings } from '../src/judge/places.ts';

/** The fixed places, and those of some agents as the plugins declare them that read them. */
export const PLACES = protectedPlacesOf([
  {
    id: 'agents',
    version: '1.0.0',
    kernel: '^1',
    contributes: {
      'protected-places': {
        all: { private: ['~/.claude'], runsCode: ['./.claude', './.codex', './.cursor', './.mcp.json'] },
      },
    },
  },
]);

/** A machine that does not exist, so that nothing on this one changes the answers. */
export const WORLD: Surroundings = {
  workspace: '/home/somebody/work/project',
  home: '/home/somebody',
  temporary: ['/tmp'],
  own: ['/home/somebody/.config/tenon'],
  places: PLACES,
};

/** The tier of a command on that machine. */
export async function tierOf(command: string): Promise<Tier> {
  return worstTier((await assessCommand({ command, cwd: WORLD.workspace }, WORLD)).findings);
}

/** Real folders that live as long as a test. */
export interface Home {
  readonly folders: Folders;
  readonly world: Surroundings;
  remove(): void;
}

/** Makes them. */
export function makeHome(): Home {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-approval-')));
  const at = (name: string) => join(base, name);
  const cwd = join(base, 'home', 'project');
  mkdirSync(join(cwd, 'src'), { recursive: true });
  const folders = {
    config: at('config'),
    data: at('data'),
    state: at('state'),
    cache: at('cache'),
    home: at('home'),
    cwd,
  };
  return {
    folders,
    world: {
      workspace: cwd,
      home: folders.home,
      temporary: ['/nowhere'],
      own: [folders.config, folders.data, folders.state],
      places: PLACES,
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}
