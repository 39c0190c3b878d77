import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { cliCommands } from '@tenon/command-line/api';
import { doctorChecks } from '@tenon/doctor/api';
import { definePlugin } from '@tenon/kernel';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import { tools } from '@tenon/tools/api';
import { endKernel, foldersIn, standIn, startKernel } from '@tenon/test-kit/kernel';
import { later, putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import { afterEach, describe, expect, it, vi } from 'vitest';
import source from '../package.json' with { type: 'json' };
import { type WorkerAdapter, workerRegistry, workers } from '../src/api.ts';
import { adapter as claude } from '../src/adapters/claude.ts';
import plugin from '../src/plugin.ts';
import { createRegistry, type RegistryParts } from '../src/registry.ts';

afterEach(() => vi.unstubAllEnvs());

/** An adapter that differs from another only in its name. */
const named = (id: string, program = id): WorkerAdapter => ({ ...claude, spec: { ...claude.spec, id, program } });

/** A folder with programs, and nothing else in PATH. */
function onlyPrograms(...names: string[]): string {
  const folder = temporaryFolder('programs');
  putFiles(folder, Object.fromEntries(names.map((name) => [name, '#!/bin/sh\n'])));
  for (const name of names) chmodSync(join(folder, name), 0o755);
  vi.stubEnv('PATH', folder);
  return folder;
}

async function start(
  settings: Record<string, unknown> = {},
  others: Record<string, WorkerAdapter | { load(): Promise<WorkerAdapter> }> = {},
) {
  const other = definePlugin({
    id: 'other',
    activate(ctx) {
      for (const [id, value] of Object.entries(others)) ctx.contribute(workers, id, value);
    },
  });
  const kernel = await startKernel({
    folders: foldersIn(temporaryFolder('registry')),
    plugins: ['settings', 'command-line', 'doctor', 'workers'],
    settings: { workers: settings },
  });
  later(() => endKernel(kernel));
  kernel.install(
    inlineCandidate(other.spec, {
      contributes: { workers: Object.fromEntries(Object.keys(others).map((id) => [id, {}])) },
    }),
  );
  return { kernel, registry: await kernel.find(workerRegistry) };
}

describe('the plugin', () => {
  it('keeps the contract of all plugins', async () => {
    await expect(
      pluginContract({ source, plugin, others: [standIn([cliCommands, doctorChecks, tools])] }),
    ).resolves.toBeUndefined();
  });

  it('says in its manifest what its adapters say about themselves', async () => {
    const { registry } = await start();
    for (const [id, data] of Object.entries(source.tenon.contributes.workers)) {
      const { spec } = await registry.find(id);
      expect({ id: spec.id, name: spec.name, program: spec.program, vendor: spec.vendor }).toEqual({ id, ...data });
    }
  });
});

describe('the registry of workers', () => {
  it('finds one by its name, and suggests another where there is none', async () => {
    const { registry } = await start();
    expect((await registry.find('codex')).spec.name).toBe('Codex');
    await expect(registry.find('cluade')).rejects.toMatchObject({
      code: 'WORKERS_UNKNOWN',
      message: 'There is no worker "cluade". Did you mean "claude"?',
    });
    await expect(registry.find('constructor')).rejects.toMatchObject({ code: 'WORKERS_UNKNOWN' });
  });

  it('lists all, those of other plugins too, in the order of their names', async () => {
    const { registry } = await start({}, { abacus: named('abacus'), lazy: { load: async () => named('lazy') } });
    const ids = (await registry.list()).map(({ spec }) => spec.id);
    expect(ids).toEqual([...ids].sort());
    expect(ids).toEqual(expect.arrayContaining(['abacus', 'claude', 'codex', 'gemini', 'lazy', 'pi', 'tenon']));
  });

  it('leaves one out that cannot be loaded, and says which when it is wanted', async () => {
    const { registry } = await start({}, { broken: { load: () => Promise.reject(new Error('no file')) } });
    expect((await registry.list()).map(({ spec }) => spec.id)).not.toContain('broken');
    await expect(registry.find('broken')).rejects.toMatchObject({
      code: 'WORKERS_FAILED_TO_LOAD',
      message: expect.stringContaining('no file'),
    });
  });

  it('prefers the first of the setting that is installed', async () => {
    onlyPrograms('codex', 'pi');
    expect((await (await start()).registry.preferred()).spec.id).toBe('codex');
    expect((await (await start({ prefer: ['nonsense', 'gemini', 'pi', 'codex'] })).registry.preferred()).spec.id).toBe(
      'pi',
    );
  });

  it('prefers Tenon itself where nothing else is installed', async () => {
    onlyPrograms();
    const { registry } = await start();
    const adapter = await registry.preferred();
    expect(adapter.spec.id).toBe('tenon');
    expect(await registry.locate(adapter)).toMatch(/main\.js$/);
  });

  it('never throws for a probe', async () => {
    const parts = { custom: new Map(), diagnose: () => Promise.reject(new Error('broken')) };
    const registry = createRegistry({ ...parts, prefer: [], report: () => {}, slot: {} } as unknown as RegistryParts);
    expect(await registry.diagnose(claude, {}, AbortSignal.timeout(1000))).toMatchObject({
      worker: 'claude',
      checks: [{ status: 'skip', message: 'The probe failed: broken' }],
    });
  });

  it('lets adapters of the settings win over others of their name', async () => {
    const custom = new Map([['claude', async () => named('claude', 'my-claude')]]);
    const parts = { custom, prefer: [], report: () => {} };
    const slot = { get: () => undefined, list: () => [], resolve: () => Promise.reject(new Error('not asked')) };
    const registry = createRegistry({ ...parts, slot } as unknown as RegistryParts);
    expect((await registry.find('claude')).spec.program).toBe('my-claude');
  });
});
