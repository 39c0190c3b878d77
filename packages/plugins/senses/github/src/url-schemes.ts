/** `issue://` and `pr://`: issues, pull requests and their diffs for everything that takes an address. */
import type { Folders } from '@tenon/host';
import type { UrlContent, UrlScheme } from '@tenon/urls/api';
import { plainText } from '@tenon/wording';
import type { ListQuery } from './api.ts';
import { partsOf } from './diff-parts.ts';
import { errors } from './errors.ts';
import { diffListing } from './operations/reading.ts';
import type { Place, Servers } from './servers.ts';
import { issueText, listText, pullText } from './text.ts';

/** What the schemes need. */
export interface SchemeHost {
  readonly folders: Pick<Folders, 'cwd'>;
  servers(): Promise<Servers>;
}

/** What an address names. */
export interface IssueAddress {
  readonly repo: string | undefined;
  readonly number: number | undefined;
  /** For pr: `files`, `all`, or the number of a file. */
  readonly diff: 'files' | 'all' | number | undefined;
  readonly query: URLSearchParams;
}

/** Reads `pr://N`, `pr://owner/name/N/diff/2`, `issue://owner/name?state=all`. */
export function parseIssueUrl(url: string): IssueAddress {
  const [, rest = '', search = ''] = /^\w+:\/\/([^?#]*)(?:\?([^#]*))?/.exec(url) ?? [];
  const wrong = () =>
    errors.create('GITHUB_INPUT', {
      reason: `"${url.slice(0, 200)}" names nothing`,
      todo: 'Write pr://N, pr://owner/name/N, pr://N/diff, pr://N/diff/FILE or issue://N.',
    });
  const parts = rest.split('/').filter(Boolean).map(decoded);
  const at = parts.findIndex((part) => /^\d+$/.test(part));
  // A name of digits is no number when a name follows that could be its repository.
  const numberAt = at === 0 && parts.length === 2 && parts[1] !== 'diff' ? -1 : at;
  const repo = (numberAt === -1 ? parts : parts.slice(0, numberAt)).join('/');
  if (repo !== '' && !repo.includes('/')) throw wrong();
  const number = numberAt === -1 ? undefined : Number(parts[numberAt]);
  const [kind, which, ...others] = numberAt === -1 ? [] : parts.slice(numberAt + 1);
  if (others.length > 0 || (kind !== undefined && kind !== 'diff')) throw wrong();
  if (which !== undefined && which !== 'all' && !/^[1-9]\d*$/.test(which)) throw wrong();
  const diff = kind === undefined ? undefined : which === undefined ? 'files' : which === 'all' ? 'all' : Number(which);
  return { repo: repo || undefined, number, diff, query: new URLSearchParams(search) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // A percent sign that begins nothing.
  }
}

/** Makes a scheme. */
export function issueScheme(host: SchemeHost, kind: 'issue' | 'pr'): UrlScheme {
  return {
    async read(url, call) {
      const address = parseIssueUrl(url);
      const servers = await host.servers();
      const cwd = call.scope?.cwd ?? host.folders.cwd;
      const place = await servers.open(await servers.target(address.repo, cwd, call.signal), call.signal);
      const { text, source, contentType = 'text/markdown' } = await contentOf(kind, url, address, place);
      return {
        content: plainText(text),
        contentType,
        ...(source !== undefined && { details: { finalUrl: source } }),
      } satisfies UrlContent;
    },
  };
}

interface Content {
  readonly text: string;
  readonly source?: string;
  readonly contentType?: string;
}

async function contentOf(
  kind: 'issue' | 'pr',
  url: string,
  { number, diff, query }: IssueAddress,
  place: Place,
): Promise<Content> {
  const { api, repo } = place;
  const withComments = query.get('comments') !== '0';
  if (number === undefined) {
    const list = listQuery(query);
    const title = `# ${kind === 'pr' ? 'Pull requests' : 'Issues'} of ${repo.owner}/${repo.name} (${list.state})`;
    return { text: listText(title, await (kind === 'pr' ? api.pulls(repo, list) : api.issues(repo, list))) };
  }
  if (kind === 'issue') {
    const issue = await api.issue(repo, number, withComments);
    return { text: issueText(issue), source: issue.url };
  }
  if (diff === undefined) {
    const pull = await api.pull(repo, number, withComments);
    return { text: pullText(pull), source: pull.url };
  }
  const contentType = 'text/plain';
  if (diff === 'files')
    return { text: await diffListing(place, number, url.replace(/\/?(?:\?.*)?$/, '')), contentType };
  const whole = await api.diff(repo, number);
  if (diff === 'all') return { text: whole, contentType };
  const parts = partsOf(whole);
  const part = parts[diff - 1];
  if (part) return { text: part.text, contentType };
  throw errors.create('GITHUB_INPUT', {
    reason: `The diff has no file ${diff}`,
    todo: `It has ${parts.length}; read ${url.replace(/\/\d+$/, '')} for the list.`,
  });
}

function listQuery(query: URLSearchParams): ListQuery {
  const state = (['open', 'closed', 'merged', 'all'] as const).find((name) => name === query.get('state')) ?? 'open';
  const limit = Math.min(100, Math.max(1, Number(query.get('limit') ?? 30) || 30));
  const [author, label] = [query.get('author'), query.get('label')];
  return { state, limit, ...(author !== null && { author }), ...(label !== null && { label }) };
}
