/**
 * Tenon's MCP client under the official conformance suite: a whole Tenon with one server in its configuration, driven by its own
 * commands. The suite starts it with the server's address as the last argument.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cliCommands, type CommandCall } from '@tenon/command-line/api';
import { type Kernel, TenonError } from '@tenon/kernel';
import { inlineCandidate } from '@tenon/kernel/testing';
import { modes } from '@tenon/modes/api';
import { SILENT } from '@tenon/host';
import { toolRunner, tools } from '@tenon/tools/api';
import { createTenon } from '@tenon/sdk';
import { mcpHub } from '../../src/api.ts';

const url = process.argv.at(-1) ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const { toolCalls = [], ...context } = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  readonly [key: string]: string;
} & { readonly toolCalls?: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[] };
const MOST_LOGINS = 3;

/** What a user would write down for a server of this kind. */
function oauth(): Record<string, unknown> {
  if (scenario === 'auth/basic-cimd')
    return { clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' };
  if (scenario.startsWith('auth/dpop')) return { dpop: true };
  const { client_id: clientId, client_secret: clientSecret } = context;
  if (clientId === undefined) return {};
  if (scenario === 'auth/client-credentials-jwt')
    return { grantType: 'client_credentials', clientId, privateKey: context['private_key_pem'] };
  if (scenario === 'auth/wif-jwt-bearer') return { grantType: 'jwt-bearer', clientId, assertion: context['valid_jwt'] };
  if (scenario === 'auth/enterprise-managed-authorization') {
    const { idp_issuer: issuer, idp_client_id: idpClient, idp_id_token: idToken } = context;
    // The metadata of the suite's identity provider lacks what OpenID demands.
    const tokenEndpoint = context['idp_token_endpoint'];
    return {
      grantType: 'id-jag',
      clientId,
      clientSecret,
      idp: { issuer, clientId: idpClient, idToken, tokenEndpoint },
    };
  }
  const grantType = scenario === 'auth/client-credentials-basic' ? { grantType: 'client_credentials' } : {};
  return { clientId, clientSecret, ...grantType };
}

/** Answers every question as somebody does who only presses Enter. */
async function pressEnter(kernel: Kernel): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const spec: Parameters<typeof inlineCandidate>[0] = {
      id: 'conformance-mode',
      activate(ctx) {
        ctx.contribute(modes, 'conformance', {
          run(launch) {
            launch.useInterface({ ...SILENT, canAsk: () => true, confirm: () => Promise.resolve(true) });
            resolve();
            return new Promise<number>(() => undefined);
          },
        });
      },
    };
    kernel.install(
      inlineCandidate(spec, { contributes: { modes: { conformance: { summary: 'x', takesInput: false } } } }),
    );
    command(kernel, 'agent', {}, { mode: 'conformance', 'no-session': true }).catch(reject);
  });
}

async function command(
  kernel: Kernel,
  words: string,
  args: CommandCall['args'],
  flags: CommandCall['flags'] = {},
  onErr: (text: string) => Promise<void> = async () => undefined,
): Promise<number> {
  const found = await kernel.read(cliCommands).resolve(words);
  const quiet = async () => undefined;
  const io = { out: quiet, err: onErr, json: quiet, color: false, interactive: false, width: 80 };
  return (await found.run({ args, flags, io, cwd: process.cwd(), signal: new AbortController().signal })) ?? 0;
}

/** The user opens the page, and the browser comes back by itself. */
async function login(kernel: Kernel): Promise<void> {
  await command(kernel, 'mcp login', { name: 'suite' }, {}, async (text) => {
    const [page] = /https?:\/\/\S+/.exec(text) ?? [];
    if (page !== undefined) await (await fetch(page)).text();
  });
}

/** What a tool is called with: what the suite says, else something for each parameter that it must have. */
async function inputsOf(kernel: Kernel, key: string): Promise<readonly Record<string, unknown>[]> {
  const parametersOf = async (name: string) =>
    (await kernel.read(tools).resolve(`mcp__suite__${name}`)).parameters as JsonSchema;
  const name = key.slice('mcp__suite__'.length);
  const told = toolCalls.filter((call) => call.name === name).map((call) => call.arguments);
  if (told.length > 0) return told;
  // The suite looks at what became of a schema on its way to the model.
  if (name === 'json_schema_echo') return [{ schema: await parametersOf('json_schema_2020_12_tool') }];
  const { properties = {}, required = [] } = await parametersOf(name);
  const sample = (type: unknown) => (type === 'number' || type === 'integer' ? 5 : type === 'boolean' ? true : 'x');
  return [Object.fromEntries(required.map((parameter) => [parameter, sample(properties[parameter]?.type)]))];
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
  readonly required?: readonly string[];
}

/** A server that asks for a login is what these scenarios are about; any other fault ends the run. */
function refusal(fault: unknown): void {
  if (!(fault instanceof TenonError) || fault.code !== 'MCP_LOGIN_NEEDED') throw fault;
}

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'tenon-conformance-'));
  mkdirSync(join(home, 'config'));
  const section = oauth();
  const server = { type: 'http', url, ...(Object.keys(section).length > 0 && { oauth: section }) };
  writeFileSync(join(home, 'config', 'mcp.json'), JSON.stringify({ mcpServers: { suite: server } }));
  const settings = { 'mcp.startupBudgetMs': 20_000, 'approval.mode': 'yolo' };
  const environment = { HOME: home, PATH: process.env['PATH'] };
  const tenon = await createTenon({ home, cwd: home, packs: false, environment, settings });
  process.chdir(home);
  const { kernel } = tenon;
  try {
    await pressEnter(kernel);
    const hub = await kernel.find(mcpHub);
    await hub.prepare(home);
    const state = async () => (await hub.servers(home))[0]?.state;
    for (let logins = 0; (await state()) === 'needs-login' && logins < MOST_LOGINS; logins++) {
      await login(kernel);
      // It may ask for more than the login before gave.
      await hub.reconnect(home, 'suite').catch(refusal);
    }
    const runner = await kernel.find(toolRunner);
    for (const { key } of kernel.read(tools).list()) {
      if (!key.startsWith('mcp__suite__')) continue;
      for (const input of await inputsOf(kernel, key))
        for (let logins = 0; ; logins++) {
          const result = await runner.run(key, input, { scope: { session: 'conformance', cwd: home } });
          if ((await state()) !== 'needs-login' || logins === MOST_LOGINS) {
            if (result.isError) process.stderr.write(`${JSON.stringify(result.content)}\n`);
            break;
          }
          await login(kernel);
          await hub.reconnect(home, 'suite').catch(refusal);
        }
    }
    const problem = (await hub.servers(home))[0]?.problem;
    if (problem !== undefined) throw new Error(problem);
  } finally {
    await tenon.dispose();
    rmSync(home, { recursive: true, force: true });
  }
}

main().then(
  () => process.exit(0),
  (fault: unknown) => {
    process.stderr.write(`${fault instanceof Error ? fault.stack : String(fault)}\n`);
    process.exit(1);
  },
);
