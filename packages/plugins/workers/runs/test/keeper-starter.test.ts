/** Whoever needs a keeper sees to it that there is one, and that there is only one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { putFiles } from '@tenon/test-kit/temporary';
import { until } from '@tenon/test-kit/waiting';
import { expect, test } from 'vitest';
import { KeeperStarter } from '../src/keeper/keep.ts';
import { makeWorld } from './world.ts';

/** A keeper that writes down that it was started, and then does what `script` says. */
async function starterOf(script: string) {
  const world = await makeWorld({ ensureKeeper: async () => undefined });
  const { folders, env, store } = world.parts;
  putFiles(world.base, { 'keeper.sh': `echo "$*" >>"${world.base}/started"\n${script}\n` });
  const starter = new KeeperStarter(folders, env, store, ['/bin/sh', join(world.base, 'keeper.sh')]);
  const started = () => {
    try {
      return readFileSync(join(world.base, 'started'), 'utf8').split('\n').filter(Boolean);
    } catch {
      return []; // Nobody was started yet.
    }
  };
  return { world, starter, started };
}

test('a hundred who ask at the same time are served by one process', async () => {
  const { starter, started } = await starterOf('exec sleep 0.5');
  await Promise.all(Array.from({ length: 100 }, () => starter.ensure()));
  await until(() => started().length > 0, 'the keeper');
  await starter.ensure();
  expect(started()).toEqual(['runs keep']);
});

test('one that was asked for while it was about to end is followed by another, if there is work', async () => {
  const { world, starter, started } = await starterOf('exec sleep 0.2');
  await starter.ensure();
  await world.start('say done');
  await starter.ensure();
  await until(() => started().length === 2, 'the second keeper');
});
