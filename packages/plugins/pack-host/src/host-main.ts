/**
 * The program of a host process. It opens the channel, imports the one pack it is for, and serves it until Tenon ends.
 * Called with `--restrict POLICY` it first gives up every right that the policy does not name, and then starts itself anew:
 * restrictions made before a program starts hold for all of its threads.
 */
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import type { Manifest, Plugin } from '@tenon/kernel';
import { createHostContext, type HostContext } from './host/context.ts';
import { createHostFetch } from './host/fetch.ts';
import { importPackEntry } from './pack-modules.ts';
import { errors } from './errors.ts';
import { GIVE_UP_PROGRAMS } from './sandbox/give-up-programs.ts';
import { HOST_LIMITS } from './wire/channel.ts';
import { unmarshal, type Wire } from './wire/marshal.ts';
import { ownMethod, Peer } from './wire/peer.ts';
import { createAsker } from './wire/questions.ts';

const MESSAGES = 3;
const QUESTIONS = 4;
/** Tenon limits what it takes; on this side a limit is only there to find mistakes. */
const MAX_PENDING = 1_000;

async function restrictAndStartAnew(policyJson: string): Promise<void> {
  const { loadAccelerator } = await import('@tenon/native');
  const sandbox = await loadAccelerator('sandbox');
  const { policy, env, args } = JSON.parse(policyJson);
  sandbox.restrictAndExec(policy, { file: process.execPath, args, env, keepDescriptors: [MESSAGES, QUESTIONS] });
}

function serve(): void {
  let plugin: Plugin | undefined;
  let running: HostContext | undefined;
  const peer: Peer = new Peer({
    stream: new Socket({ fd: MESSAGES, readable: true, writable: true }),
    limits: HOST_LIMITS,
    maxPending: MAX_PENDING,
    plugin: 'this pack',
    stacks: true,
    method: (name) => ownMethod(methods, name),
    notices: { ping: () => peer.notify('pong', []) },
    onViolation: (_kind, reason) => {
      process.stderr.write(`Error: the connection to Tenon broke: ${reason}\n`);
      process.exit(70);
    },
    // Tenon has ended, or wants no more of this process.
    onClose: () => process.exit(0),
  });
  const ask = createAsker(QUESTIONS, peer, HOST_LIMITS.maxFrameBytes);
  globalThis.fetch = createHostFetch(peer);

  const methods: Record<string, (params: Wire[]) => unknown> = {
    load: async ([about]) => {
      const { manifest, folder } = about as unknown as { manifest: Manifest; folder: string };
      const { id, entry = 'src/plugin.ts', needs = [] } = manifest;
      plugin = await importPackEntry(resolve(folder, entry), { plugin: id, folder, entry });
      checkShape(plugin, id, needs);
      return { tokens: plugin.spec.defines ?? [] };
    },
    activate: async ([config = null, needs]) => {
      if (!plugin) throw new Error('activate came before load');
      const { spec, id } = plugin;
      const importer = peer.references.importer('result');
      const services = new Map(
        (JSON.parse(String(needs)) as [string, Wire][]).map(([name, wire]) => [name, unmarshal(wire, importer)]),
      );
      // The pack may call a service by a name of its own; the manifest, and so Tenon, knows only the service's.
      const named = Object.entries(spec.needs ?? {}).map(([name, token]) => [name, services.get(token.id)] as const);
      running = createHostContext({
        plugin: id,
        config: unmarshal(config, importer),
        needs: Object.fromEntries(named),
        ask,
        peer,
      });
      await spec.activate(running.context as never);
    },
    dispose: async () => running?.end(),
  };
  peer.notify('ready', []);
}

function checkShape({ id, spec }: Plugin, expected: string, needs: readonly string[]): void {
  const inCode = Object.values(spec.needs ?? {}).map((token) => token.id);
  const problems = [
    ...(id === expected ? [] : [`its id is "${id}" in the code and "${expected}" in the manifest`]),
    ...([...inCode].sort().join() === [...needs].sort().join()
      ? []
      : [`its needs are [${inCode.join(', ')}] in the code and [${needs.join(', ')}] in the manifest`]),
  ];
  if (problems.length > 0)
    throw errors.create('PACK_HOST_START_FAILED', { plugin: expected, reason: problems.join('; ') });
  if (spec.migrateConfig) {
    const instead = 'Declare renamed settings in the manifest (`renamedSettings`).';
    throw errors.create('PACK_HOST_UNSUPPORTED', { plugin: expected, what: 'migrateConfig()', instead });
  }
}

/** Imports test files: they run by themselves once imported, and set the exit code. */
async function runTests(folder: string, files: readonly string[]): Promise<void> {
  const [packTesting, kernelTesting] = await Promise.all([import('./testing.ts'), import('@tenon/kernel/testing')]);
  const more = { '@tenon/pack-host/testing': packTesting, '@tenon/kernel/testing': kernelTesting };
  const { importPackModule } = await import('./pack-modules.ts');
  for (const file of files) await importPackModule(resolve(folder, file), more);
}

/** Under Landlock: gives up starting programs, for all threads, before any code of the pack is there. */
async function giveUpPrograms(): Promise<void> {
  const { loadAccelerator } = await import('@tenon/native');
  const sandbox = await loadAccelerator('sandbox');
  sandbox.restrictSelf({ exec: 'off', net: 'off' });
  delete process.env['TENON_ADDON'];
  delete process.env[GIVE_UP_PROGRAMS];
}

const [, , flag, first = '', ...rest] = process.argv;
if (flag === '--restrict') await restrictAndStartAnew(first);
else if (process.env[GIVE_UP_PROGRAMS]) await giveUpPrograms();
if (flag === '--test') await runTests(first, rest);
else if (flag !== '--restrict') serve();
