/** The models and providers plugins as Tenon runs them, with a fake of all providers and a folder of their own. */
import { settingsLayer } from '@tenon/test-kit/kernel';
import { builtIn } from '@tenon/test-kit/plugins';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folders } from '@tenon/host';
import { createKernel, type Kernel } from '@tenon/kernel';
import { inlineCandidate, provideServices } from '@tenon/kernel/testing';
import { type FakeModels, startFakeModels } from '@tenon/model-fakes';
import { runCommand } from '@tenon/test-kit/command-run';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import {
  authStore,
  type Model,
  modelRegistry,
  models,
  type ModelRequest,
  type Provider,
  providers,
  type RetryNotice,
  type StreamEvent,
} from '../src/api.ts';

/** How a world differs from the plain one. */
export interface WorldOptions {
  readonly settings?: Record<string, unknown>;
  /** The content of `models.yml`. */
  readonly file?: string;
  readonly withOffline?: boolean;
  /** False when local servers are not looked for. */
  readonly probeLocal?: boolean;
}

/** A world for each test of a file. */
export function modelsWorld() {
  const world = {
    folder: '',
    fake: undefined as unknown as FakeModels,
    kernel: undefined as Kernel | undefined,
    folders: () => ({
      config: join(world.folder, 'config'),
      data: join(world.folder, 'data'),
      state: world.folder,
      cache: world.folder,
      home: world.folder,
      cwd: world.folder,
    }),
    layer: settingsLayer,
    start,
    run,
  };
  beforeEach(async () => {
    world.folder = await mkdtemp(join(tmpdir(), 'tenon-models-'));
    world.fake = await startFakeModels();
    for (const name of Object.keys(process.env))
      if (/_API_KEY|_TOKEN|^AWS_|_BASE_URL/.test(name)) vi.stubEnv(name, undefined);
    // Nothing that happens to run on this machine may take part.
    for (const name of ['OLLAMA', 'LM_STUDIO', 'LLAMA_CPP', 'VLLM'])
      vi.stubEnv(`${name}_BASE_URL`, 'http://127.0.0.1:9/v1');
  });
  afterEach(async () => {
    await world.kernel?.dispose();
    world.kernel = undefined;
    vi.unstubAllEnvs();
    await world.fake.close();
    await rm(world.folder, { recursive: true, force: true });
  });

  async function start(options: WorldOptions = {}) {
    if (options.file !== undefined) {
      await mkdir(join(world.folder, 'config'), { recursive: true });
      await writeFile(join(world.folder, 'config', 'models.yml'), options.file);
    }
    const modelSettings = { credentialStore: 'file', retry: { baseDelayMs: 5 }, ...options.settings };
    const kernel = createKernel();
    world.kernel = kernel;
    kernel.install(
      provideServices([[folders, world.folders()]]),
      await builtIn('settings'),
      // A busy machine may need long to answer itself.
      settingsLayer({
        models: modelSettings,
        providers: { probeTimeoutMs: 20_000, probeLocal: options.probeLocal ?? true },
      }),
      await builtIn('models'),
      await builtIn('providers'),
      ...(options.withOffline ? [offline()] : []),
    );
    expect(kernel.diagnostics().map(({ error }) => error.message)).toEqual([]);
    return { kernel, registry: await kernel.find(modelRegistry), auth: await kernel.find(authStore) };
  }

  /** Runs a command of the plugin. */
  async function run(
    key: string,
    args: Record<string, string> = {},
    flags: Record<string, string | boolean> = {},
    ask?: string,
  ) {
    if (!world.kernel) throw new Error('start the world first');
    const io = { interactive: true, ...(ask !== undefined && { ask: async () => ask }) };
    return runCommand(world.kernel, key, { args, flags, io, cwd: world.folder });
  }

  return world;
}

function offline() {
  return inlineCandidate(
    {
      id: 'offline',
      activate(ctx) {
        ctx.contribute(providers, 'offline', { stream: async function* () {} } satisfies Provider);
        ctx.contribute(models, 'offline/rules', {} as never);
      },
    },
    {
      contributes: {
        providers: { offline: {} },
        models: {
          'offline/rules': {
            name: 'Offline',
            api: 'offline',
            contextWindow: 10,
            maxTokens: 10,
            input: ['text'],
            reasoning: false,
          },
        },
      },
    },
  );
}

/** One answer of a model, and what was told on the way. */
export async function askModel(
  registry: {
    stream(
      request: ModelRequest,
      call: { signal: AbortSignal; onRetry(notice: RetryNotice): void },
    ): AsyncIterable<StreamEvent>;
  },
  model: Model | undefined,
  more: Partial<ModelRequest> = {},
) {
  if (!model) throw new Error('there is no such model');
  const notices: RetryNotice[] = [];
  const messages = [{ role: 'user' as const, content: 'x', timestamp: 1 }];
  const request = { model, systemPrompt: '', messages, tools: [], ...more };
  let last: StreamEvent | undefined;
  const call = { signal: new AbortController().signal, onRetry: (notice: RetryNotice) => void notices.push(notice) };
  for await (const event of registry.stream(request, call)) last = event;
  if (last?.type !== 'done' && last?.type !== 'error') throw new Error('the stream has no end');
  const message = last.type === 'done' ? last.message : last.error;
  const said = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  return { last, message, said, notices, failure: last.type === 'error' ? last.failure : undefined };
}
