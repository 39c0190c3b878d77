/** Skills and plugins of the user can be read and run in a sandbox; what lies beside them cannot. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { protectedPlacesOf } from '../src/api.ts';
import { policyOf } from '../src/policy.ts';
import { foldersToShow } from '../src/program-folders.ts';
import { createSandboxes } from '../src/sandboxes.ts';
import { PrivateFolders } from '../src/private-folders.ts';
import { createLogger } from '@tenon/log';
import { loadAccelerator } from '@tenon/native';
import { DEFAULTS, Machine } from './support/machine.ts';

let machine: Machine;
const at = (...parts: string[]) => join(machine.home, ...parts);
const manifests = [
  {
    id: 'agents',
    version: '1.0.0',
    kernel: '^1',
    contributes: {
      'protected-places': { all: { private: ['~/.codex', '~/.claude'], secrets: ['~/.codex/auth.json'] } },
    },
  },
] as const;
const around = () => ({
  home: machine.home,
  own: [at('.local', 'share', 'tenon')],
  places: () => protectedPlacesOf(manifests),
});
const show = (...folders: string[]) => foldersToShow([{ folders: async () => folders }], machine.workspace, around());

beforeEach(() => {
  machine = new Machine();
  for (const folder of ['.codex/skills/pdf/scripts', '.claude/skills/one', '.local/share/tenon/store/plugin'])
    mkdirSync(at(folder), { recursive: true });
  writeFileSync(at('.codex', 'auth.json'), 'PRIVATE');
  writeFileSync(at('.codex', 'skills', 'pdf', 'scripts', 'run.sh'), '#!/bin/sh\necho "ran $1"\n', { mode: 0o755 });
  writeFileSync(at('.local', 'share', 'tenon', 'store', 'plugin', 'tool.sh'), 'echo plugin\n');
});
afterEach(() => machine.close());

describe('folders of programs', () => {
  it('are shown, never one that is or holds a place that must stay hidden', async () => {
    const fine = [at('.codex', 'skills', 'pdf'), at('.local', 'share', 'tenon', 'store', 'plugin')];
    expect(await show(...fine, at('missing'))).toEqual(fine);
    expect(await show(at('.codex'), at('.claude'), machine.home, '/', at('.local', 'share', 'tenon'))).toEqual([]);
    expect(await show(at('.ssh'), at('.config'), at('.local', 'share'))).toEqual([]);
    symlinkSync(at('.ssh'), at('.claude', 'skills', 'trap'));
    symlinkSync(machine.home, at('.claude', 'skills', 'all'));
    expect(await show(at('.claude', 'skills', 'trap'), at('.claude', 'skills', 'all'))).toEqual([]);
  });

  it('can be read and run in a sandbox, and their neighbours cannot', async (context) => {
    const folders = new PrivateFolders();
    const shown = [at('.codex', 'skills', 'pdf'), at('.local', 'share', 'tenon', 'store', 'plugin')];
    const boxes = createSandboxes({
      settings: DEFAULTS,
      surroundings: { ...around(), programFolders: async () => show(...shown) },
      folders,
      log: createLogger({ owner: 'test', sink: () => undefined }),
      env: process.env,
      accelerator: () => loadAccelerator('sandbox'),
    });
    try {
      if ((await boxes.profileFor({ cwd: machine.workspace })) === 'full') return context.skip();
      const script = `${at('.codex/skills/pdf/scripts/run.sh')} it; bash ${at('.local/share/tenon/store/plugin/tool.sh')}
cat ${at('.codex/auth.json')} 2>/dev/null; ls ${at('.codex')}; echo x 2>/dev/null >${at('.codex/skills/pdf/new')} || echo kept`;
      const { out } = await machine.run(boxes, {}, ['sh', '-c', script]);
      expect(out).toBe('ran it\nplugin\nskills\nkept\n');
    } finally {
      await folders.close();
    }
  });

  it('are part of the policy of every profile', async () => {
    const shown = at('.codex', 'skills', 'pdf');
    for (const profile of ['read-only', 'workspace-write'] as const) {
      const policy = await policyOf({ cwd: machine.workspace, profile }, DEFAULTS, {
        ...around(),
        programFolders: async () => [shown],
      });
      expect(policy.read).toContain(shown);
      expect(policy.write).not.toContain(shown);
    }
  });
});
