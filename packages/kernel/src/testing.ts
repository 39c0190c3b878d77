import { strict as assert } from 'node:assert';
import { createKernel, type Kernel, type KernelOptions } from './kernel.ts';
import type { Manifest } from './manifest.ts';
import { parseManifest } from './parse-manifest.ts';
import { definePlugin, type Plugin, type PluginCandidate } from './plugin.ts';
import { slot, type Service } from './tokens.ts';

/** The parts of a package.json that make a plugin. */
export interface PluginPackage {
  readonly version?: string;
  readonly tenon: Readonly<Record<string, unknown>>;
}

/** A candidate from a package.json's content and the plugin value. */
export async function candidateFrom(
  source: PluginPackage,
  plugin: Plugin,
  file = 'package.json',
): Promise<PluginCandidate> {
  const manifest = await parseManifest(source.tenon, file, source.version ?? '0.0.0');
  return { manifest, file, checked: true, load: () => Promise.resolve(plugin) };
}

/** A candidate for a plugin written inside a test; the manifest's fixed parts are filled in. */
export function inlineCandidate(
  spec: Parameters<typeof definePlugin>[0],
  manifest: Partial<Manifest> = {},
  file = `${spec.id}/package.json`,
): PluginCandidate {
  const needs = Object.values(spec.needs ?? {}).map(({ id }) => id);
  return {
    manifest: { id: spec.id, version: '1.0.0', kernel: '^1', ...(needs.length > 0 && { needs }), ...manifest },
    file,
    load: () => Promise.resolve(definePlugin(spec)),
  };
}

/** A plugin that provides ready values for services, so that another plugin can be tested alone. */
export function provideServices(services: ReadonlyArray<readonly [Service<unknown>, unknown]>): PluginCandidate {
  const spec: Parameters<typeof definePlugin>[0] = {
    id: 'test-services',
    activate(ctx) {
      for (const [token, value] of services) ctx.provide(token as Service<unknown>, value);
    },
  };
  return inlineCandidate(spec, { provides: services.map(([token]) => token.id) });
}

/** Everything that can be seen of a kernel's registries, for comparing two moments. */
export function registrySnapshot(kernel: Kernel): unknown {
  const ids = new Set(kernel.status().flatMap(({ manifest }) => Object.keys(manifest.contributes ?? {})));
  return [...ids].sort().map((id) => [
    id,
    kernel
      .read(slot(id))
      .all()
      .map(({ key, source, priority, shadowed, value }) => ({
        key,
        plugin: source.plugin,
        priority,
        shadowed,
        live: value !== undefined,
      })),
  ]);
}

/** What the contract suite needs to run one plugin. */
export interface ContractOptions {
  readonly source: PluginPackage;
  readonly plugin: Plugin;
  /** Values for the services that the plugin needs. */
  readonly services?: ReadonlyArray<readonly [Service<unknown>, unknown]>;
  /** Other plugins that must be there. */
  readonly others?: readonly PluginCandidate[];
  readonly kernel?: KernelOptions;
}

/**
 * The contract that every plugin keeps: its manifest is valid and honest, it starts, stops and starts again,
 * and it leaves nothing behind. Throws on the first breach.
 */
export async function pluginContract(options: ContractOptions): Promise<void> {
  const { source, plugin, services = [], others = [] } = options;
  const candidate = await candidateFrom(source, plugin);
  const { id } = candidate.manifest;
  const kernel = createKernel(options.kernel);
  kernel.install(...(services.length > 0 ? [provideServices(services)] : []), ...others, candidate);
  const state = () => kernel.status().find((status) => status.id === id)?.state;
  const complaints = () => kernel.diagnostics().map(({ error }) => error.message);
  assert.deepEqual(complaints(), [], `plugin "${id}" cannot be installed`);
  const installed = registrySnapshot(kernel);
  for (const round of ['first', 'second']) {
    await kernel.activate(id);
    assert.equal(state(), 'active', `plugin "${id}" must run after its ${round} start`);
    await kernel.reload(id);
    assert.equal(state(), 'active', `plugin "${id}" must run after a reload`);
    await kernel.unload(id);
    assert.deepEqual(kernel.registrations(id), [], `plugin "${id}" must leave no registration behind`);
    assert.deepEqual(
      kernel.pending().filter((call) => call.plugin === id),
      [],
      `plugin "${id}" must leave no handler running`,
    );
  }
  const others_ = [...kernel.status()].filter((status) => status.id !== id && status.state === 'active');
  for (const other of others_.reverse()) await kernel.unload(other.id);
  assert.deepEqual(registrySnapshot(kernel), installed, `plugin "${id}" must leave the registries as they were`);
  await kernel.uninstall(id);
  const isLeft = JSON.stringify(registrySnapshot(kernel)).includes(`"plugin":"${id}"`);
  assert.equal(isLeft, false, `plugin "${id}" must be gone from all registries after it was uninstalled`);
  assert.deepEqual(complaints(), [], `plugin "${id}" must not cause complaints`);
  await kernel.dispose();
}
