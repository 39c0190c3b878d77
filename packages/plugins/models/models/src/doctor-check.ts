/** What `tenon doctor` says about models. It shows no secret, and asks no server but those of this machine. */
import type { DoctorFinding } from '@tenon/doctor/api';
import { TenonError } from '@tenon/kernel';
import { counted } from '@tenon/wording';
import type { AuthStore, Endpoint } from './api.ts';
import { keyOf, type ModelBook } from './model-book.ts';
import type { BookRegistry } from './registry.ts';

/** What the check looks at. */
export interface ModelParts {
  readonly registry: BookRegistry;
  readonly auth: AuthStore;
  readonly book: ModelBook;
  /** Where it was decided that Tenon does not look for local servers; undefined when it does. */
  probingOff(): Promise<string | undefined>;
}

const LOG_IN =
  'Log in with `tenon auth login PROVIDER`, set a key such as ANTHROPIC_API_KEY, or start a local server (Ollama, llama.cpp, LM Studio, vLLM).';

/** Providers with credentials, local servers, and the model that answers when nothing else is asked for. */
export async function modelFindings({ registry, auth, book, probingOff }: ModelParts): Promise<DoctorFinding[]> {
  const endpoints = await book.endpoints();
  const credentials = await auth.list();
  const sources = new Map<string, Set<string>>();
  for (const { provider, kind, source } of credentials)
    sources.set(provider, (sources.get(provider) ?? new Set()).add(`${kind} ${source}`));
  const keys = [...sources].map(([provider, from]) => ok(provider, [...from].join(', ')));
  const elsewhere = [...endpoints].filter(
    ([, endpoint]) => endpoint.probe !== undefined && !isOfThisMachine(endpoint.baseUrl),
  );
  const offBy = await probingOff();
  if (offBy !== undefined) {
    const text = `Tenon does not look for local servers: providers.probeLocal is false (${offBy}). With true, it asks them.`;
    return [...keys, ok('servers', text), await defaultFinding(registry)];
  }
  if (elsewhere.length > 0) {
    const addresses = elsewhere.map(([provider, { baseUrl }]) => `${provider} at ${hostOf(baseUrl)}`).join(', ');
    const text = `not asked, because the doctor asks no other machine: ${addresses}`;
    return [...keys, ok('servers', text), ok('default', '`tenon models list` asks the server and marks the default')];
  }
  return [...keys, ...(await serverFindings(book, endpoints)), await defaultFinding(registry)];
}

async function serverFindings(
  book: ModelBook,
  endpoints: ReadonlyMap<string, Endpoint>,
): Promise<readonly DoctorFinding[]> {
  const local = [...endpoints].filter(([, { probe }]) => probe !== undefined);
  const models = await book.list();
  const answering = local.flatMap(([provider, { baseUrl }]) => {
    const count = models.filter((model) => model.provider === provider).length;
    return count === 0 ? [] : [ok(provider, `${counted(count, 'model')} at ${hostOf(baseUrl)}`)];
  });
  if (answering.length > 0 || local.length === 0) return answering;
  return [ok('servers', `no local server answers (${local.map(([, { name }]) => name).join(', ')})`)];
}

async function defaultFinding(registry: BookRegistry): Promise<DoctorFinding> {
  try {
    const { model, fallbackMessage } = await registry.forRole('default');
    const text = `${keyOf(model)}${fallbackMessage === undefined ? '' : ` (${fallbackMessage})`}`;
    if (model.api !== 'offline') return ok('default', text);
    return {
      name: 'default',
      status: 'warning',
      text: `${text}: without a key or a local server only the offline model answers`,
      next: LOG_IN,
    };
  } catch (fault) {
    if (!(fault instanceof TenonError)) throw fault;
    return { name: 'default', status: 'problem', text: fault.message, next: fault.next };
  }
}

function ok(name: string, text: string): DoctorFinding {
  return { name, status: 'ok', text };
}

/** An endpoint without an address asks nobody. */
function isOfThisMachine(address: string | undefined): boolean {
  if (address === undefined) return true;
  const name = URL.canParse(address) ? new URL(address).hostname : '';
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || name.startsWith('127.');
}

/** The address without a path, and without a password that somebody wrote into it. */
function hostOf(address: string | undefined): string {
  return address !== undefined && URL.canParse(address) ? new URL(address).host : 'an address that is not a URL';
}
