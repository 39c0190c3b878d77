import { text as readAll } from 'node:stream/consumers';
import type { CommandCall } from '@tenon/command-line/api';
import { TenonError } from '@tenon/kernel';
import { plainLine } from '@tenon/wording';
import type { Model, OAuthSpec, StoredCredential } from './api.ts';
import type { LayeredAuthStore } from './auth/auth-store.ts';
import { errors } from './errors.ts';
import { keyOf, type ModelBook } from './model-book.ts';
import type { BookRegistry } from './registry.ts';

/** What the commands work with. */
export interface CommandParts {
  readonly registry: BookRegistry;
  readonly auth: LayeredAuthStore;
  readonly book: ModelBook;
  readonly modelsFile: string;
}

/** `tenon models list` */
export async function listModels(
  { registry, book }: CommandParts,
  { io, flags, args }: CommandCall,
): Promise<number | void> {
  book.refresh();
  const search = (typeof args['search'] === 'string' ? args['search'] : '').toLowerCase();
  const models = (await registry.list()).filter(
    (model) =>
      (flags['all'] || model.available) && `${model.provider}/${model.id} ${model.name}`.toLowerCase().includes(search),
  );
  const roles = await modelsOfRoles(registry);
  const rolesOf = (model: Model): readonly string[] => roles.get(keyOf(model)) ?? [];
  if (flags['json']) return io.json(models.map((model) => ({ ...model, roles: rolesOf(model) })));
  if (models.length === 0) {
    const why = search === '' ? 'No provider has credentials.' : `No model fits "${search}".`;
    await io.err(
      `${why} See all models with \`tenon models list --all\`; log in with \`tenon auth login PROVIDER\`.\n`,
    );
    return 1;
  }
  const rows = models.map((model) => [
    `${model.provider}/${model.id}`,
    short(model.contextWindow),
    model.price ? `${dollars(model.price.input)} / ${dollars(model.price.output)}` : '-',
    [model.reasoning && 'thinks', model.input.includes('image') && 'sees', !model.available && 'no key']
      .filter(Boolean)
      .join(', '),
    rolesOf(model).join(', '),
  ]);
  await io.out(table(['MODEL', 'CONTEXT', '$ / M IN, OUT', '', 'ROLE'], rows));
}

/** Which roles each model plays now, by the model's key. */
async function modelsOfRoles(registry: BookRegistry): Promise<ReadonlyMap<string, readonly string[]>> {
  const roles = new Map<string, string[]>();
  for (const role of registry.roles()) {
    const choice = await registry.forRole(role).catch((fault: unknown) => {
      // Nobody plays the role: the list says so by leaving it out.
      if (fault instanceof TenonError) return undefined;
      throw fault;
    });
    if (choice) roles.set(keyOf(choice.model), [...(roles.get(keyOf(choice.model)) ?? []), role]);
  }
  return roles;
}

/** `tenon auth list` */
export async function listCredentials({ auth, book }: CommandParts, { io, flags }: CommandCall): Promise<void> {
  const credentials = await auth.list();
  const endpoints = [...(await book.endpoints())];
  const have = new Set(credentials.map(({ provider }) => provider));
  const missing = flags['all'] ? endpoints.filter(([provider]) => !have.has(provider)) : [];
  const rows = [
    ...credentials,
    ...missing.map(([provider, { env, keyOptional }]) => ({
      provider,
      kind: keyOptional ? 'none needed' : 'none',
      source: env ? `$${env.join(', $')}` : '-',
      masked: '',
    })),
  ];
  if (flags['json']) return io.json(rows);
  if (rows.length === 0)
    return io.err(
      'No credentials. `tenon auth login PROVIDER` adds one; `tenon auth list --all` names the providers.\n',
    );
  await io.out(
    table(
      ['PROVIDER', 'KIND', 'FROM', ''],
      rows.map(({ provider, kind, source, masked }) => [provider, kind, source, masked]),
    ),
  );
}

/** `tenon auth login` */
export async function logIn(parts: CommandParts, call: CommandCall): Promise<void> {
  const { args, flags, io } = call;
  const { auth, book } = parts;
  const provider = typeof args['provider'] === 'string' ? args['provider'] : await askForProvider(parts, call);
  const { oauth, name } = await book.endpoint(provider);
  if (flags['browser'] && !oauth) throw errors.create('MODELS_NO_LOGIN_FLOW', { provider });
  const credential: StoredCredential =
    oauth && !flags['stdin'] && !flags['key']
      ? await browserLogin(provider, oauth, parts, call)
      : { kind: 'api-key', key: await askForKey(provider, call) };
  // An account that may not use the models is told so now, and not in the middle of the first question.
  await auth.access(provider, credential.kind === 'oauth' ? credential.access : credential.key);
  await auth.store(provider, credential);
  await io.err(`Logged in at ${name}.\n`);
}

/** Who logs in for the first time does not know the names. */
async function askForProvider({ book }: CommandParts, { io }: CommandCall): Promise<string> {
  if (!io.ask) throw errors.create('MODELS_LOGIN_WHERE');
  const names = [...(await book.endpoints())].map(([name]) => name).sort();
  await io.err(`Providers: ${names.join(', ')}\n`);
  const answer = (await io.ask('Log in to which of them? ')).trim();
  if (answer === '') throw errors.create('MODELS_LOGIN_WHERE');
  return answer;
}

/** `tenon auth logout` */
export async function logOut({ auth }: CommandParts, { args, io }: CommandCall): Promise<number | void> {
  const provider = String(args['provider']);
  if (await auth.remove(provider)) return io.err(`Logged out of ${provider}.\n`);
  await io.err(`Nothing is stored for ${provider}. A key in the environment has to be removed there.\n`);
  return 1;
}

async function browserLogin(
  provider: string,
  known: OAuthSpec,
  { auth, modelsFile: file }: CommandParts,
  call: CommandCall,
): Promise<StoredCredential> {
  const { flags, io, signal } = call;
  const [{ login }, { atRegister }] = await Promise.all([import('./auth/oauth.ts'), import('./auth/login-refusal.ts')]);
  const ownId = flags['client-id'];
  const spec = auth.clientFor(known, typeof ownId === 'string' ? ownId : undefined);
  if (spec.register !== undefined && spec.clientId === undefined)
    throw errors.create('MODELS_LOGIN_NEEDS_CLIENT', { provider, register: atRegister(spec), file });
  await askForConsent(provider, spec, call);
  const show = (url: string, code?: string) => {
    const enter = code === undefined ? '' : `and enter this code:\n\n  ${plainLine(code)}\n\n`;
    return io.err(`Open this address in your browser to log in:\n\n  ${plainLine(url)}\n\n${enter}Waiting…\n`);
  };
  const { ask } = io;
  if (flags['paste'] && !ask) throw errors.create('MODELS_LOGIN_NO_PASTE', { provider });
  const paste = flags['paste'] && ask && (() => ask('Paste the address at which the browser ends: '));
  return login(provider, spec, { show, signal, file, ...(paste && { paste }) });
}

/** Another program's client, or terms that speak against a login, need a yes. */
async function askForConsent(provider: string, spec: OAuthSpec, { flags, io }: CommandCall): Promise<void> {
  const { clientOwner, terms } = spec;
  const client =
    clientOwner === undefined ? '' : `It uses the client id of ${clientOwner}: the vendor takes Tenon for it.`;
  const reason = [client, terms].filter(Boolean).join(' ');
  if (reason === '') return;
  await io.err(
    `About this login: ${reason}\n\`tenon read docs://guide/vendor-terms.md\` has what is known; the vendor's own pages decide.\n`,
  );
  if (flags['accept-terms']) return;
  const answer = await io.ask?.('Go on? [y/N] ');
  if (!/^y(?:es)?$/i.test(answer?.trim() ?? ''))
    throw errors.create('MODELS_LOGIN_NEEDS_CONSENT', { provider, reason });
}

async function askForKey(provider: string, { flags, io, signal }: CommandCall): Promise<string> {
  let key: string | undefined;
  if (flags['stdin']) {
    const stop = () => process.stdin.destroy();
    signal.addEventListener('abort', stop, { once: true });
    key = await readAll(process.stdin).finally(() => signal.removeEventListener('abort', stop));
  } else key = await io.ask?.(`API key of ${provider}: `, { secret: true });
  if (key === undefined || key.trim() === '') throw errors.create('MODELS_LOGIN_NEEDS_KEY', { provider });
  return key.trim();
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${all.map(line).join('\n')}\n`;
}

function short(tokens: number): string {
  return tokens >= 1_000_000 ? `${Math.round(tokens / 100_000) / 10}M` : `${Math.round(tokens / 1000)}k`;
}

function dollars(amount: number): string {
  return amount === 0 ? '0' : String(Number(amount.toPrecision(3)));
}
