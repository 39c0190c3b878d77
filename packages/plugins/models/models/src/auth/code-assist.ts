/** The account at Google's Code Assist: which project its calls belong to. A new account is set up first. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CodeAssistSpec } from '../api.ts';
import { AccessRefusal } from './access.ts';
import { refusalIn } from './token-exchange.ts';
import { jsonIn } from './token-request.ts';

const REQUEST_MS = 30_000;
const POLL_MS = 5000;
const MAX_POLLS = 24;
const METADATA = { ideType: 'IDE_UNSPECIFIED', platform: 'PLATFORM_UNSPECIFIED', pluginType: 'GEMINI' };

type Fields = Readonly<Record<string, unknown>>;

/** The project that calls carry. */
export async function codeAssistProject(
  spec: CodeAssistSpec,
  token: string,
  env: Readonly<Record<string, string | undefined>>,
  pollMs = POLL_MS,
): Promise<string> {
  const own = spec.projectEnv?.map((name) => env[name]).find(Boolean);
  const named = own === undefined ? {} : { cloudaicompanionProject: own };
  const metadata = { ...METADATA, ...(own !== undefined && { duetProject: own }) };
  const call = (method: string, body: Fields) => request(`${spec.url}:${method}`, token, body);
  const account = await call('loadCodeAssist', { ...named, metadata });
  const known = projectIn(account) ?? own;
  if (account['currentTier']) return known ?? needsProject(spec);
  const tier = tierIn(account);
  if (tier['userDefinedCloudaicompanionProject'] === true && own === undefined) return needsProject(spec);
  // Google chooses the project of a free account itself.
  const chosen = tier['id'] === 'free-tier' ? {} : named;
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    if (poll > 0) await sleep(pollMs);
    const work = await call('onboardUser', { tierId: tier['id'], ...chosen, metadata });
    if (work['done'] === true) return projectIn(fields(work['response'])) ?? own ?? needsProject(spec);
  }
  throw new Error('the account was not set up in time');
}

async function request(url: string, token: string, body: Fields): Promise<Fields> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'user-agent': 'tenon' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(REQUEST_MS),
  });
  if (!response.ok) throw await refusalIn(response);
  return jsonIn(response);
}

/** The tier that a new account gets. */
function tierIn(account: Fields): Fields {
  const tiers = list(account['allowedTiers']);
  const tier = tiers.find(({ isDefault }) => isDefault === true) ?? tiers[0];
  if (tier) return tier;
  const [reason] = list(account['ineligibleTiers']).map(({ reasonMessage }) => reasonMessage);
  throw new AccessRefusal(403, typeof reason === 'string' ? reason : 'no tier of Code Assist is open to it');
}

/** The project: its name, or an object with it. */
function projectIn({ cloudaicompanionProject: project }: Fields): string | undefined {
  const id = typeof project === 'object' && project !== null ? (project as Fields)['id'] : project;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function needsProject({ projectEnv = [] }: CodeAssistSpec): never {
  throw new AccessRefusal(
    403,
    `it needs a project of your own at Google Cloud; name it with ${projectEnv.join(' or ')}`,
  );
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}
