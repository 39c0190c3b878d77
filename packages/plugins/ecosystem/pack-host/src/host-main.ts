/** The program of a host process: it imports the one pack it is for, and serves it until Tenon ends. */
import { resolve } from 'node:path';
import type { Manifest, Plugin } from '@tenon/kernel';
import { createHostContext, type HostContext } from './host/context.ts';
import { type HostLink, restrictHost, serveHost } from './host/serve.ts';
import { importPackEntry } from './pack-modules.ts';
import { errors } from './errors.ts';
import { unmarshal, type Wire } from './wire/marshal.ts';

function answers({ peer, ask, fetch }: HostLink): Record<string, (params: Wire[]) => unknown> {
  let plugin: Plugin | undefined;
  let running: HostContext | undefined;
  globalThis.fetch = fetch;
  return {
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

await restrictHost();
const [, , flag, first = '', ...rest] = process.argv;
if (flag === '--test') await runTests(first, rest);
else serveHost(answers);
