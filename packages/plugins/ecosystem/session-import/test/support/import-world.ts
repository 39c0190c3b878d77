/** A home with conversations that the real agents recorded, and a Tenon that imports them and goes on with them. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentFactory } from '@tenon/agent/api';
import { type Protocol, startFakeModels } from '@tenon/model-fakes';
import { type Model, modelRegistry, type ModelRequest } from '@tenon/models/api';
import { createProvider } from '@tenon/providers/api';
import { sessionStore } from '@tenon/sessions/api';
import { runCommand } from '@tenon/test-kit/command-run';
import { endKernel, separateFolders, startKernel } from '@tenon/test-kit/kernel';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';

/** Conversations of the real CLIs; test/recorded/README.md says how they were made. */
export const RECORDED = join(import.meta.dirname, '..', 'recorded');

/** Ids of the recorded conversations. */
export const IDS = {
  claude: '11111111-2222-4333-8444-555555555555',
  codex: '01a1f5c8-51b1-72e2-8d15-4f3a0fbbf307',
  codexRewound: '01a1f5c8-57a1-7620-a5a8-943f2987d9a7',
  gemini: 'feac54ad-9658-45b4-9e79-476d80283afa',
  pi: '01a1f5c6-1151-73ef-b4ed-bd4fe8bdd944',
  omp: '01a1f5c7-bd6e-74d9-845e-52371f61ba27',
} as const;

/** The folder in which the recorded conversations were held. */
const WORK = '/srv/shop';

/** An environment in which no agent of the tester is found. */
const NO_AGENTS = ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'GEMINI_CLI_HOME', 'PI_CODING_AGENT_DIR'];

/** Makes the world. `recorded: false` leaves the home empty. */
export async function importWorld({ recorded = true }: { recorded?: boolean } = {}) {
  const base = temporaryFolder('import');
  const folders = separateFolders(base);
  mkdirSync(folders.cwd);
  if (recorded) for (const name of ['claude', 'codex', 'gemini', 'pi', 'omp']) copyRecorded(name, folders);
  for (const name of NO_AGENTS) delete process.env[name];
  const fake = await startFakeModels();
  let model: Model | undefined;
  const chosen = async () => model && { model };
  const registry = {
    stream: (request: ModelRequest, call: { signal: AbortSignal }) =>
      createProvider(request.model.api, { stallMs: 60_000 }).stream({ ...request, apiKey: 'key' }, call),
    find: chosen,
    forRole: chosen,
    list: async () => [],
  };
  const kernel = await startKernel({
    folders,
    services: [[modelRegistry, registry]],
    settings: { sessions: { fsync: 'never' } },
    plugins: ['settings', 'tools', 'sessions', 'agent', 'secrets', 'session-import'],
  });
  later(async () => {
    await endKernel(kernel);
    await fake.close();
  });
  const store = await kernel.find(sessionStore);

  const run = (conversation?: string, flags: Record<string, string | boolean> = {}) =>
    runCommand(kernel, 'session import', { args: { conversation }, flags, cwd: folders.cwd });

  /** Imports a conversation and opens the session. */
  async function imported(conversation: string, flags: Record<string, string | boolean> = {}) {
    const { json } = await run(conversation, { ...flags, json: true });
    const facts = json as { id: string; imported: boolean; messages: number; findings: readonly string[] };
    const session = await store.open(facts.id, { readOnly: true });
    later(() => session.close());
    return { ...facts, session };
  }

  /** Goes on with a session over a protocol; gives the body of the request that the server got. */
  async function goOn(id: string, protocol: Protocol, as: Partial<Model> = {}) {
    const limits = { contextWindow: 200_000, maxTokens: 8_000, input: ['text', 'image'] as const, reasoning: true };
    model = { provider: 'test', id: 'm', name: 'M', api: protocol, baseUrl: fake.baseUrl(protocol), ...limits, ...as };
    fake.requests.length = 0;
    fake.reply({ content: [{ type: 'text', text: 'I remember.' }] });
    const session = await store.open(id);
    const { agent } = await (
      await kernel.find(agentFactory)
    ).create({ session, cwd: folders.cwd, model: `${model.provider}/${model.id}` });
    await agent.prompt('Do you remember?');
    const [request] = fake.requests;
    await agent.dispose();
    return { body: (request?.body ?? {}) as Record<string, unknown>, messages: session.context().messages };
  }

  return { kernel, store, folders, run, imported, goOn };
}

/** A world with conversations. */
export type ImportWorld = Awaited<ReturnType<typeof importWorld>>;

function copyRecorded(name: string, { home, cwd }: { home: string; cwd: string }): void {
  const target = join(home, `.${name}`);
  cpSync(join(RECORDED, name), target, { recursive: true });
  for (const path of readdirSync(target, { recursive: true, withFileTypes: true })) {
    if (!path.isFile()) continue;
    const file = join(path.parentPath, path.name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(WORK, cwd));
  }
}
