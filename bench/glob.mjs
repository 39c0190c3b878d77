/** Paths by pattern: the addon without and with a warm cache, beside fd, rg --files, oh-my-pi, fast-glob and tinyglobby. */
import { spawnSync } from 'node:child_process';

import { command, ensurePeers, load, peerRequire, piNatives, ripgrep, takeTurns } from './grep-peers.mjs';

const CASES = [
  { name: '**/*.ts', pattern: '**/*.ts', fd: ['-e', 'ts'] },
  { name: '**/package.json', pattern: '**/package.json', fd: ['-g', 'package.json'] },
  { name: 'every file', pattern: '**', fd: [] },
];

// The corpus lies in this repository's work folder, which is ignored: so no engine reads ignore files here.

/** Runs the comparison. */
export async function run(ctx) {
  ensurePeers(ctx.workDir, ctx.log);
  const scan = await load('scan', 'native');
  const require = peerRequire(ctx.workDir);
  const { glob: tinyglobby } = require('tinyglobby');
  const { default: fastGlob } = await import('fast-glob');
  const pi = piNatives(ctx.workDir);
  const fd = ['fdfind', 'fd'].find((name) => spawnSync(name, ['--version']).status === 0);
  const [cold, warm] = [[], []];
  for (const { name, pattern, fd: fdArgs } of CASES) {
    const request = { path: ctx.corpusDir, pattern, hidden: true, nodeModules: true, gitignore: false };
    const {
      'tenon, cold': ours,
      'tenon, warm cache': cached,
      ...peers
    } = await takeTurns(
      {
        'tenon, cold': () => scan.glob(request),
        'tenon, warm cache': () => scan.glob({ ...request, cache: true }),
        ...(fd
          ? {
              fd: () =>
                command(fd, [
                  '-HI',
                  '-t',
                  'f',
                  ...fdArgs,
                  ...(fdArgs.length > 0 && fdArgs[0] === '-g' ? [] : ['.']),
                  ctx.corpusDir,
                ]),
            }
          : {}),
        'rg --files': () =>
          command(ripgrep, ['--no-config', '--files', '--no-ignore', '--hidden', '-g', pattern, ctx.corpusDir]),
        ...(pi
          ? {
              'pi-natives': () =>
                pi.glob({
                  path: ctx.corpusDir,
                  pattern,
                  hidden: true,
                  includeNodeModules: true,
                  gitignore: false,
                  fileType: 1,
                }),
            }
          : {}),
        'fast-glob': () => fastGlob.async(pattern, { cwd: ctx.corpusDir, dot: true, followSymbolicLinks: false }),
        tinyglobby: () => tinyglobby(pattern, { cwd: ctx.corpusDir, dot: true, followSymbolicLinks: false }),
      },
      ctx.quick ? 1 : 7,
    );
    const rival = peers.fd ?? peers['rg --files'];
    cold.push({ case: name, ours, peers, ratio: ours / rival, target: 1 });
    warm.push({ case: name, ours: cached, peers, ratio: cached / rival, target: 0.25 });
  }
  return [
    { name: 'glob', title: 'glob, nothing cached (ratio to fd)', unit: 'ms', rows: cold },
    { name: 'glob-warm', title: 'glob, warm scan cache (ratio to fd)', unit: 'ms', rows: warm },
  ];
}
