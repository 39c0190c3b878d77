/** Agents over a real HTTP server that has a window, counts in its own way, and refuses in its own words. */
import { agentFactory, type AgentEvent, type AgentSession } from '@tenon/agent/api';
import {
  countRequest,
  COUNTERS,
  type Protocol,
  type RecordedRequest,
  REFUSERS,
  startFakeModels,
  windowed,
  type WindowedServer,
} from '@tenon/model-fakes';
import { type Model, modelRegistry, type ModelRequest } from '@tenon/models/api';
import { createProvider } from '@tenon/providers/api';
import { type Session, sessionStore } from '@tenon/sessions/api';
import { said } from '@tenon/test-kit/conversation-world';
import { endKernel, foldersIn, startKernel, tool } from '@tenon/test-kit/kernel';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';

export const REFUSER_NAMES = Object.keys(REFUSERS) as (keyof typeof REFUSERS)[];
export const COUNTER_NAMES = Object.keys(COUNTERS) as (keyof typeof COUNTERS)[];

/** A server, and what it would say. */
export interface Served extends WindowedServer {
  /** The window that the model's description tells; the server's own if absent. */
  readonly described?: number;
}

const protocolOf = ({ refuser }: Pick<WindowedServer, 'refuser'>): Protocol =>
  refuser.startsWith('anthropic') ? 'anthropic-messages' : 'openai-completions';

/** One kernel and one server for many conversations. */
export async function windowedWorld(output: () => string) {
  const fake = await startFakeModels();
  const home = temporaryFolder('windowed');
  let model: Model;
  const accepted: RecordedRequest[] = [];
  const providers = new Map<string, ReturnType<typeof createProvider>>();
  const provider = (api: string) => {
    const made = providers.get(api) ?? createProvider(api, { stallMs: 60_000 });
    providers.set(api, made);
    return made;
  };
  const registry = {
    stream: (request: ModelRequest, call: { signal: AbortSignal }) =>
      provider(request.model.api).stream({ ...request, apiKey: 'key' }, call),
    find: async () => ({ model }),
    forRole: async () => ({ model }),
    list: async () => [],
  };
  const kernel = await startKernel({
    folders: foldersIn(home),
    services: [[modelRegistry, registry]],
    // Nothing here is about power failures.
    settings: { sessions: { fsync: 'never' } },
    plugins: ['settings', 'tools', 'sessions', 'agent'],
    tools: { cat: { ...tool(async () => said(output())), description: DESCRIPTION } },
  });
  later(async () => {
    await endKernel(kernel);
    await fake.close();
  });
  const store = await kernel.find(sessionStore);
  const factory = await kernel.find(agentFactory);

  /** Lets another server answer from now on. */
  function serve(server: Served): void {
    const protocol = protocolOf(server);
    const contextWindow = server.described ?? server.window;
    model = {
      provider: 'test',
      id: 'm',
      name: 'M',
      api: protocol,
      baseUrl: fake.baseUrl(protocol),
      contextWindow,
      maxTokens: Math.floor(contextWindow / 4),
      input: ['text'],
      reasoning: false,
    };
    const reply = windowed(server);
    fake.requests.length = 0;
    accepted.length = 0;
    fake.otherwise((request) => {
      const given = reply(request);
      if (!('status' in given)) accepted.push(request);
      return given;
    });
  }

  /** An agent on a new session, or on one that was closed. */
  async function open(file?: string): Promise<{ agent: AgentSession; session: Session; events: AgentEvent[] }> {
    const session = file === undefined ? await store.create({ cwd: home }) : await store.open(file);
    const { agent } = await factory.create({ session, cwd: home, systemPrompt: SYSTEM });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event));
    return { agent, session, events };
  }

  /** What a prompt that stands alone takes beside its own words. */
  async function overhead(server: Served): Promise<number> {
    serve({ ...server, window: 1_000_000, described: 1_000_000 });
    const { agent } = await open();
    await agent.prompt('-');
    await agent.dispose();
    const [request] = accepted;
    if (!request) throw new Error('the server got no request');
    return countRequest(server, request);
  }

  return { fake, accepted, serve, open, overhead };
}

/** As long as descriptions of tools are. */
const DESCRIPTION = 'Shows a file of the project, whole or in parts, with the numbers of its lines. '.repeat(6);
/** A short one, so that small windows hold more than it. */
const SYSTEM = 'You are an agent in a test. You work with tools and answer briefly.';
