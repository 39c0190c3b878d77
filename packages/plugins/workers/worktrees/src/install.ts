/** Gets the dependencies of a project into a worktree, when the user has said how. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Sandboxes } from '@tenon/sandbox/api';
import { detectPackageManager, runSteps, type ValidationStep } from '@tenon/validation/api';
import type { Worktree } from './api.ts';

const NODE: Readonly<Record<string, readonly string[]>> = {
  npm: ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'],
  pnpm: ['pnpm', 'install', '--frozen-lockfile', '--ignore-scripts', '--prefer-offline'],
  yarn: ['yarn', 'install', '--frozen-lockfile', '--ignore-scripts', '--non-interactive'],
  bun: ['bun', 'install', '--frozen-lockfile', '--ignore-scripts'],
};
/** Yarn from version 2 on has other words. */
const BERRY = ['yarn', 'install', '--immutable', '--mode=skip-build'];

/** The command for a setting; undefined when there is nothing to install. */
export function installStep(folder: string, setting: string): ValidationStep | undefined {
  const step = (argv: readonly string[]): ValidationStep => ({
    title: `install in ${basename(folder)}`,
    argv,
    cwd: folder,
  });
  if (setting === 'off' || setting === '') return undefined;
  if (setting !== 'auto') return step(['/bin/sh', '-c', setting]);
  if (existsSync(join(folder, 'package.json'))) {
    const { manager, because } = detectPackageManager(folder);
    // Without a lock file nobody knows what would be installed.
    if (because === 'no lock file') return undefined;
    return step(manager === 'yarn' && existsSync(join(folder, '.yarnrc.yml')) ? BERRY : (NODE[manager] ?? []));
  }
  if (existsSync(join(folder, 'uv.lock'))) return step(['uv', 'sync', '--frozen']);
  if (existsSync(join(folder, 'poetry.lock'))) return step(['poetry', 'install', '--no-interaction']);
  return undefined;
}

/** Runs it in the sandbox, with the public network. Gives a sentence about how it went. */
export async function install(
  { folder }: Worktree,
  setting: string,
  sandboxes: () => Promise<Sandboxes>,
  call: { readonly signal: AbortSignal; output?(text: string): void },
): Promise<string | undefined> {
  const step = installStep(folder, setting);
  if (!step) return undefined;
  const plan = { by: 'override', root: folder, steps: [step], reason: '' } as const;
  const confine = async () => (await sandboxes()).wrap({ cwd: folder, network: 'public' });
  const { state, steps } = await runSteps(plan, confine, call);
  if (state === 'passed') return `Dependencies were installed with \`${step.argv.join(' ')}\`.`;
  const why = steps[0]?.skipped ?? steps[0]?.tail.trim().split('\n').at(-1) ?? 'it was stopped';
  return `Dependencies were not installed with \`${step.argv.join(' ')}\`: ${why}`;
}
