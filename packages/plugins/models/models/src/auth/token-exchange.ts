/** Exchanges a token for one that lives shortly: GitHub Copilot, GitLab Duo. */
import type { ExchangeSpec } from '../api.ts';
import { AccessRefusal, type TimedAccess } from './access.ts';
import { jsonIn } from './token-request.ts';

const REQUEST_MS = 30_000;
/** How long a token is used when nobody says how long it lives. */
const LIFE_SECONDS = 600;

/** The token, address and headers that a token gives. */
export async function exchange(spec: ExchangeSpec, token: string): Promise<TimedAccess> {
  const { url, method = 'POST', scheme = 'Bearer' } = spec;
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `${scheme} ${token}`,
      accept: 'application/json',
      'user-agent': 'tenon',
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    },
    ...(method === 'POST' && { body: '{}' }),
    redirect: 'error', // The token must not follow to another place.
    signal: AbortSignal.timeout(REQUEST_MS),
  });
  // The vendor offers the exchange to some clients only; the others use their token as it is.
  if (response.status === 404 && spec.optional) {
    await response.body?.cancel();
    return { access: { apiKey: token }, expiresAt: Date.now() + LIFE_SECONDS * 1000 };
  }
  if (!response.ok) throw await refusalIn(response);
  return accessIn(spec, await jsonIn(response));
}

function accessIn(spec: ExchangeSpec, answer: Readonly<Record<string, unknown>>): TimedAccess {
  const apiKey = at(answer, spec.token);
  if (typeof apiKey !== 'string' || apiKey === '') throw new Error('the answer has no token');
  const end = spec.expires === undefined ? undefined : at(answer, spec.expires);
  const expiresAt = typeof end === 'number' ? end * 1000 : Date.now() + (spec.lifeSeconds ?? LIFE_SECONDS) * 1000;
  const baseUrl = spec.baseUrl === undefined ? undefined : addressIn(spec, at(answer, spec.baseUrl));
  const headers = spec.headers === undefined ? undefined : headersIn(spec, at(answer, spec.headers));
  return { access: { apiKey, ...(baseUrl !== undefined && { baseUrl }), ...(headers && { headers }) }, expiresAt };
}

/** The address for calls. Conversations go there, so that it has to be one of the vendor's. */
function addressIn({ url, hosts = [] }: ExchangeSpec, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const [address, own] = [URL.canParse(value) ? new URL(value) : undefined, new URL(url)];
  const isKnown =
    address !== undefined &&
    address.protocol === own.protocol &&
    (address.hostname === own.hostname ||
      hosts.some((host) => address.hostname === host || address.hostname.endsWith(`.${host}`)));
  if (!isKnown) throw new Error("the answer names an address for calls that is not the vendor's");
  return value.replace(/\/+$/, '');
}

function headersIn({ headerPrefix = 'x-' }: ExchangeSpec, value: unknown): Record<string, string> {
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
  return Object.fromEntries(
    entries.flatMap(([name, text]) => {
      const lower = name.toLowerCase();
      const isGood = lower.startsWith(headerPrefix) && /^[\w-]+$/.test(lower) && typeof text === 'string';
      return isGood && /^[\x20-\x7e]*$/.test(text) ? [[lower, text]] : [];
    }),
  );
}

/** A value in an answer; dots lead inwards. */
function at(answer: unknown, path: string): unknown {
  let value = answer;
  for (const name of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return value;
}

/** What the vendor said, in one of the shapes that vendors have for it. */
export async function refusalIn(response: Response): Promise<AccessRefusal> {
  const { status, statusText } = response;
  const answer = await jsonIn(response).catch(() => ({})); // A proxy's page: the status says enough.
  const said = ['error_details.message', 'error.message', 'message', 'error_description', 'error']
    .map((path) => at(answer, path))
    .find((value) => typeof value === 'string' && value !== '');
  return new AccessRefusal(status, `${status} ${String(said ?? statusText)}`);
}
