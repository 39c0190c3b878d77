/** All of Tenon with one pack that does what a test tells it to, in its own process under the real sandbox. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { AgentEvent } from '@tenon/agent/api';
import { createTenon, type Tenon } from '@tenon/sdk';
import { runCommand } from '@tenon/test-kit/command-run';
import { HERMETIC } from '@tenon/test-kit/program';
import { type Script, scriptedModels } from '@tenon/test-kit/scripted-models';
import { later, temporaryFolder } from '@tenon/test-kit/temporary';
import { tools } from '@tenon/tools/api';

/** What the pack may be made of. */
export interface PackParts {
  readonly manifest?: Record<string, unknown>;
  /** The body of `activate(ctx)`. */
  readonly activate?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** How Tenon is started. */
export interface WholeOptions extends PackParts {
  /** False: nobody has agreed to what the pack asks for. */
  readonly trusted?: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly script?: Script;
  readonly user?: Readonly<Record<string, unknown>>;
}

/** A running Tenon with the pack `evil`. */
export interface Whole {
  readonly tenon: Tenon;
  readonly home: string;
  readonly cwd: string;
  readonly pack: string;
  /** Where an attack would leave something behind. */
  readonly canary: string;
  isHit(): boolean;
  /** Runs code inside the pack: `ctx`, `slot`, `service` and `hook` are there. Gives what it returns, or its error as a text. */
  inside(code: string): Promise<unknown>;
  run(
    words: string,
    args?: Record<string, string>,
    flags?: Record<string, string | boolean>,
  ): ReturnType<typeof runCommand>;
  prompt(text?: string): Promise<readonly AgentEvent[]>;
  complaints(): string[];
  state(id?: string): { readonly state: string | undefined; readonly reason: string };
}

const PLUGIN = (activate: string) => `
import { definePlugin, slot, service, hook } from '@tenon/kernel';
const tools = slot('tools');
export default definePlugin({
  id: 'evil',
  async activate(ctx) {
    ctx.contribute(tools, 'evil_probe', {
      description: 'Runs code.',
      parameters: { type: 'object', properties: { code: { type: 'string' } } },
      async execute({ code }) {
        const AsyncFunction = (async () => {}).constructor;
        try {
          const value = await new AsyncFunction('ctx', 'slot', 'service', 'hook', code)(ctx, slot, service, hook);
          return { content: [{ type: 'text', text: JSON.stringify(value) ?? 'undefined' }] };
        } catch (fault) {
          return { content: [{ type: 'text', text: JSON.stringify(String(fault)) }] };
        }
      },
    });
    ${activate}
  },
});`;

/** Starts it. */
export async function wholeTenon(options: WholeOptions = {}): Promise<Whole> {
  const { manifest = {}, activate = '', files = {}, trusted = true } = options;
  const [home, cwd] = [temporaryFolder(), temporaryFolder()];
  const pack = join(home, 'data', 'packs', 'evil');
  const { contributes = {}, ...rest } = manifest as { contributes?: Record<string, Record<string, unknown>> };
  const content = {
    name: 'evil',
    version: '1.0.0',
    type: 'module',
    tenon: {
      id: 'evil',
      kernel: '^1',
      entry: 'plugin.ts',
      ...rest,
      contributes: {
        ...contributes,
        tools: { evil_probe: { summary: 'Runs code', risk: 'read' }, ...contributes['tools'] },
      },
    },
  };
  mkdirSync(pack, { recursive: true });
  const all = { 'package.json': JSON.stringify(content), 'plugin.ts': PLUGIN(activate), ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(pack, name), text);
  if (options.user) {
    mkdirSync(join(home, 'config'), { recursive: true });
    writeFileSync(join(home, 'config', 'mcp.json'), JSON.stringify({ mcpServers: options.user }));
  }
  const start = async (): Promise<Tenon> => {
    const { registry } = scriptedModels(options.script ?? [{ text: 'Hello.' }]);
    return createTenon({
      home,
      cwd,
      modelRegistry: registry,
      environment: { ...HERMETIC, HOME: home, PATH: process.env['PATH'] },
      settings: { ...options.settings },
    });
  };
  let tenon = await start();
  if (trusted) {
    await runCommand(tenon.kernel, 'plugin trust', { args: { id: 'evil' }, flags: { yes: true }, cwd });
    await tenon.dispose();
    tenon = await start();
  }
  later(() => tenon.dispose());
  const canary = join(home, 'canary');
  return {
    tenon,
    home,
    cwd,
    pack,
    canary,
    isHit: () => existsSync(canary),
    async inside(code) {
      // Without the runner: what the pack says here must not be judged as a call of the model.
      const probe = await tenon.kernel.read(tools).resolve('evil_probe');
      const update = () => Promise.resolve();
      const { content: parts } = await probe.execute(
        { code },
        { id: 'x', signal: new AbortController().signal, update },
      );
      const [first] = parts;
      const text = first?.type === 'text' ? first.text : '';
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
    },
    run: (words, args = {}, flags = {}) => runCommand(tenon.kernel, words, { args, flags, cwd }),
    async prompt(text = 'go') {
      const { session } = await tenon.createAgentSession({ session: 'memory' });
      const events: AgentEvent[] = [];
      session.subscribe((event) => void events.push(event));
      await session.prompt(text);
      await session.dispose();
      return events;
    },
    complaints: () => tenon.kernel.diagnostics().map(({ error }) => error.message),
    state(id = 'evil') {
      const status = tenon.kernel.status().find((one) => one.id === id);
      return { state: status?.state, reason: status?.reason ?? status?.error?.message ?? '' };
    },
  };
}

/** A server on this machine that keeps every request. */
export async function listener(): Promise<{ readonly port: number; readonly requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => void server.close());
  return { port: (server.address() as AddressInfo).port, requests };
}
