/** A host in a process of its own, for tests that kill it: base folder, name, slots, labels, `strict` for one with the usual settings. SIGTERM drains it. */
import { runCommand } from '@tenon/test-kit/command-run';
import { endKernel } from '@tenon/test-kit/kernel';
import { startPlace } from './place.ts';

const [, , base = '', name = '', slots = '4', labels = '', mode = ''] = process.argv;
const ending = new AbortController();
process.on('SIGTERM', () => ending.abort());
const { kernel } = await startPlace(base, { fleet: { allowUnsandboxed: mode !== 'strict' } });
const { err } = await runCommand(kernel, 'fleet worker', {
  flags: { name, slots, labels: labels === '' ? [] : [labels] },
  signal: ending.signal,
  io: { err: async (text) => void process.stdout.write(text) },
});
process.stderr.write(err);
await endKernel(kernel);
