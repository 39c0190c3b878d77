/** Skills and plugins that the user has installed: their code is local code of the user, and nobody but the user changes it. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { assessCommand } from '../src/judge/assess.ts';
import { worstTier } from '../src/judge/finding.ts';
import { touch } from '../src/judge/places.ts';
import { makeHome } from './support.ts';

const home = makeHome();
afterAll(() => home.remove());
const { cwd, home: user, data } = home.folders;
const skill = join(user, '.claude', 'skills', 'pdf');
const plugin = join(data, 'plugins', 'deploy');
const beside = join(user, '.claude', 'other');
const put = (file: string, text: string) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o755 });
};
for (const folder of [skill, plugin, beside, join(cwd, '.claude', 'skills', 'own')]) {
  put(join(folder, 'scripts', 'run.sh'), '#!/bin/sh\necho "ran $1" > out.txt\n');
  put(join(folder, 'scripts', 'push.sh'), '#!/bin/sh\ngit push --force\n');
  put(join(folder, 'scripts', 'make.py'), 'print(1)\n');
  put(join(folder, 'scripts', 'make.mjs'), 'console.log(1)\n');
  put(join(folder, '.env'), 'TOKEN=x\n');
}
symlinkSync(join(beside, 'scripts', 'run.sh'), join(skill, 'scripts', 'away.sh'));
symlinkSync(skill, join(user, '.claude', 'skills', 'alias'));

const world: typeof home.world = { ...home.world, installed: [skill, plugin] };
const judge = async (command: string, given = world) =>
  worstTier((await assessCommand({ command, cwd }, given)).findings);
const RUNS = ['%/scripts/run.sh x', 'bash %/scripts/run.sh x', 'python3 %/scripts/make.py', 'node %/scripts/make.mjs'];
const running = RUNS.map((run) => [run]);

describe('the code of a skill or plugin of the user', () => {
  it.each(running)('runs like that of the workspace: %s', async (run) => {
    for (const folder of [skill, plugin]) expect(await judge(run.replace('%', folder)), folder).toBe(1);
  });

  it.each(running)('runs, too, where a link leads to it: %s', async (run) => {
    expect(await judge(run.replace('%', join(user, '.claude', 'skills', 'alias')))).toBe(1);
  });

  it.each(running)('is not what lies beside it, nor what a project brings: %s', async (run) => {
    expect(await judge(run.replace('%', beside))).toBe(2);
    for (const folder of [skill, plugin]) expect(await judge(run.replace('%', folder), home.world)).toBeGreaterThan(1);
    expect(await judge(run.replace('%', '.claude/skills/own'))).toBe(2);
  });

  it('is judged by what it does where that can be read', async () => {
    expect(await judge(`bash ${skill}/scripts/push.sh`)).toBe(2);
    expect(await judge(`cat ${skill}/SKILL.md; ls ${plugin}`)).toBe(0);
  });

  it('is not what a link in its folder leads to', async () => {
    expect(await judge(`bash ${skill}/scripts/away.sh`)).toBe(2);
  });
});

describe('a skill or plugin of the user', () => {
  it.each([
    'echo x > %/SKILL.md',
    'cp a.sh %/scripts/run.sh',
    'sed -i s/a/b/ %/scripts/run.sh',
    'rm -rf %',
    'mv %/scripts elsewhere',
    'chmod +x %/scripts/new.sh',
    'ln -sf /tmp/x %/scripts/run.sh',
    'tee %/scripts/new.sh',
  ])('is changed by nobody without a question, whatever is allowed: %s', async (command) => {
    for (const folder of [skill, plugin]) expect(await judge(command.replace('%', folder)), folder).toBe(3);
  });

  it('has files that tools touch in the same way', () => {
    const tier = (kind: Parameters<typeof touch>[0]) => touch(kind, join(skill, 'SKILL.md'), world).tier;
    expect([tier('read'), tier('write'), tier('delete'), tier('delete-tree')]).toEqual([0, 3, 3, 3]);
  });
});
