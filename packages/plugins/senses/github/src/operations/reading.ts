/** Operations that only look. */
import type { ToolCall, ToolResult } from '@tenon/tools/api';
import type { SearchKind } from '../api.ts';
import { boundedResult } from '../bounded.ts';
import { listingOf, partsOf } from '../diff-parts.ts';
import { errors } from '../errors.ts';
import type { Order } from '../order.ts';
import { currentBranch } from '../remotes.ts';
import type { Place } from '../servers.ts';
import { checksText, hitsText, issueText, listText, pullText, repositoryText, runLine, threadsText } from '../text.ts';

const TITLES: Readonly<Record<SearchKind, string>> = {
  issues: 'issues',
  prs: 'pull requests',
  code: 'code',
  commits: 'commits',
  repos: 'repositories',
};
const QUALIFIED = /(?:^|\s)-?(?:repo|org|user|owner):/;

/** What an operation gives. */
interface Found {
  readonly text: string;
  readonly url?: string;
}

/** Does one of them. */
export async function read(order: Order, place: Place, cwd: string, call: ToolCall): Promise<ToolResult> {
  const { text, url } = await found(order, place, cwd, call.signal);
  const details = {
    op: order.op,
    host: place.host,
    ...(place.repo.name !== '' && { repo: `${place.repo.owner}/${place.repo.name}` }),
    ...(url !== undefined && { meta: { source: { type: 'url', value: url } } }),
  };
  return boundedResult(text, details, call);
}

async function found(order: Order, place: Place, cwd: string, signal: AbortSignal): Promise<Found> {
  const { api, repo } = place;
  const { op, number = 0 } = order;
  const name = `${repo.owner}/${repo.name}`;
  if (op.startsWith('search_')) return search(op.slice('search_'.length) as SearchKind, order, place);
  switch (op) {
    case 'repo_view':
      return viewRepository(order, place);
    case 'issue_view': {
      const issue = await api.issue(repo, number, true);
      return { text: issueText(issue), url: issue.url };
    }
    case 'pr_view': {
      const pull = await api.pull(repo, number, true);
      return { text: pullText(pull), url: pull.url };
    }
    case 'issue_list':
      return { text: listText(`# Issues of ${name} (${order.state})`, await api.issues(repo, listOf(order))) };
    case 'pr_list':
      return { text: listText(`# Pull requests of ${name} (${order.state})`, await api.pulls(repo, listOf(order))) };
    case 'pr_diff':
      return { text: await diff(order, place) };
    case 'pr_threads':
      return { text: threadsText(number, await has(place, op, api.threads?.bind(api))(repo, number)) };
    case 'pr_checks': {
      const pull = await api.pull(repo, number, false);
      const checks = await has(place, op, api.checks?.bind(api))(repo, pull.head.sha);
      return { text: checksText(`# Checks of #${number} at ${pull.head.sha.slice(0, 12)}`, checks), url: pull.url };
    }
    default: {
      const branch = order.branch ?? (await currentBranch(cwd, signal));
      const runs = await has(place, op, api.runs?.bind(api))(repo, branch === undefined ? {} : { branch });
      const rows = runs.items.slice(0, order.limit).map(runLine);
      return {
        text: [
          `# Runs of ${name}${branch === undefined ? '' : ` on ${branch}`}`,
          '',
          ...(rows.length > 0 ? rows : ['No runs.']),
        ].join('\n'),
      };
    }
  }
}

async function viewRepository({ branch, op }: Order, place: Place): Promise<Found> {
  const repository = await place.api.repository(place.repo);
  const text = repositoryText(repository);
  if (branch === undefined) return { text, url: repository.url };
  const sha = await has(place, op, place.api.headOf?.bind(place.api))(place.repo, branch);
  return { text: `${text}\nBranch ${branch}: ${sha.slice(0, 12)}`, url: repository.url };
}

function listOf({ state, limit, author, label }: Order) {
  return { state, limit, ...(author !== undefined && { author }), ...(label !== undefined && { label }) };
}

async function diff({ number = 0, path }: Order, { api, repo }: Place): Promise<string> {
  const whole = await api.diff(repo, number);
  if (path === undefined) return whole.trimEnd() || 'The pull request changes nothing.';
  const parts = partsOf(whole);
  const part = parts.find((one) => one.path === path.replace(/^\.?\//, ''));
  if (part) return part.text.trimEnd();
  const reason = `Pull request ${number} does not change "${path}"`;
  throw errors.create('GITHUB_INPUT', {
    reason,
    todo: `It changes: ${parts
      .slice(0, 50)
      .map((one) => one.path)
      .join(', ')}.`,
  });
}

async function search(kind: SearchKind, { query, limit, op }: Order, place: Place): Promise<Found> {
  const { api, repo, forgeTitle } = place;
  // A question that names no place is about the repository that is worked in.
  const scoped =
    kind === 'repos' || repo.name === '' || QUALIFIED.test(query) ? query : `${query} repo:${repo.owner}/${repo.name}`;
  const hits = await has(place, op, api.search?.bind(api))(kind, scoped, limit);
  return { text: hitsText(`# ${forgeTitle}: ${TITLES[kind]}`, scoped, hits) };
}

/** The operation of a server; an error when it has none. */
export function has<T>({ forgeTitle }: Pick<Place, 'forgeTitle'>, op: string, operation: T | undefined): T {
  if (operation === undefined) throw errors.create('GITHUB_UNSUPPORTED', { op, forge: forgeTitle });
  return operation;
}

/** The files of a pull request's diff, for addresses. */
export async function diffListing(place: Place, number: number, address: string): Promise<string> {
  const parts = partsOf(await place.api.diff(place.repo, number));
  return parts.length === 0
    ? 'The pull request changes nothing.'
    : `${listingOf(parts, address)}\n\nAll: ${address}/all`;
}
