/** Pull requests as worktrees, and back to where they came from. */
import { createHash } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Folders, gitReason, type GitRun, type GitSetting, runGit } from '@tenon/host';
import { textResult, type ToolResult } from '@tenon/tools/api';
import type { WorkspaceTrust } from '@tenon/trust/api';
import { plainText } from '@tenon/wording';
import { errors } from '../errors.ts';
import { addressIn, type Order } from '../order.ts';
import { currentBranch } from '../remotes.ts';
import type { Place } from '../servers.ts';
import type { Pull } from '../things.ts';

/** What working with git needs. */
export interface GitHost {
  readonly folders: Folders;
  trust(): Promise<WorkspaceTrust | undefined>;
}

interface Checkout {
  readonly number: number;
  readonly branch: string;
  readonly path: string;
  readonly sha: string;
  readonly isReused: boolean;
  readonly url: string;
}

/** Settings of a repository with which git starts a program or goes elsewhere. */
const RUNS_PROGRAMS =
  /^(?:core\.(?:sshcommand|gitproxy|askpass|fsmonitor|alternaterefscommand)|credential\..*|(?:url\..*\.)(?:insteadof|pushinsteadof)|remote\..*\.(?:vcs|uploadpack|receivepack|proxy)|filter\..*\.(?:clean|smudge|process)|http\..*|protocol\..*|include\.path|includeif\..*|ssh\.variant|extensions\.partialclone)$/i;

/** Where the worktree of a pull request goes: beside Tenon's data folder, which is kept from agents. */
export function placeFor(folders: Pick<Folders, 'data'>, commonDir: string, number: number): string {
  const top = basename(dirname(commonDir)) || 'repository';
  const hash = createHash('sha256').update(commonDir).digest('hex').slice(0, 12);
  return join(dirname(folders.data), 'tenon-worktrees', `${top.replace(/[^\w.-]/g, '_')}-${hash}`, `pr-${number}`);
}

/** The folder with what all worktrees of a repository share. */
export async function commonDirOf(cwd: string, signal: AbortSignal): Promise<string> {
  const run = await runGit(cwd, ['rev-parse', '--path-format=absolute', '--git-common-dir'], { signal });
  if (run.code === 0) return run.out.trim();
  throw errors.create('GITHUB_GIT', {
    command: 'rev-parse',
    reason: gitReason(run),
    todo: 'Work in a checkout of the repository.',
  });
}

/** Which pull requests are meant: numbers, branches, addresses, else that of the current branch. */
export async function pullNumbers(
  order: Order,
  place: Place,
  cwd: string,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const given = order.pulls.length > 0 ? order.pulls : order.number === undefined ? [] : [String(order.number)];
  const branch = given.length > 0 ? undefined : await currentBranch(cwd, signal);
  const names = branch === undefined ? given : [branch];
  if (names.length === 0)
    throw errors.create('GITHUB_INPUT', {
      reason: 'It is not known which pull request is meant',
      todo: 'Give `number`.',
    });
  const numbers = await Promise.all(
    names.map(async (name) => {
      if (/^#?\d+$/.test(name)) return Number(name.replace('#', ''));
      const address = addressIn(name);
      if (address?.kind === 'pull') return address.id;
      const found = await place.api.pullOfBranch(place.repo, name);
      if (found !== undefined) return found;
      throw errors.create('GITHUB_INPUT', {
        reason: `There is no open pull request of the branch "${name}"`,
        todo: '`pr_list` shows them.',
      });
    }),
  );
  return [...new Set(numbers)];
}

const queues = new Map<string, Promise<unknown>>();

/** One after the other: worktrees of a repository share its settings and refs. */
function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  const settled = mine.catch(() => undefined); // The caller gets the failure; the next in line only waits.
  queues.set(key, settled);
  void settled.then(() => queues.get(key) === settled && queues.delete(key));
  return mine;
}

/** Makes worktrees for pull requests, or finds those that are there. */
export async function checkOut(
  host: GitHost,
  order: Order,
  place: Place,
  cwd: string,
  signal: AbortSignal,
): Promise<ToolResult> {
  const commonDir = await commonDirOf(cwd, signal);
  await refuseForeignPrograms(host, cwd, signal);
  const numbers = await pullNumbers(order, place, cwd, signal);
  const done: Checkout[] = [];
  for (const number of numbers) {
    const pull = await place.api.pull(place.repo, number, false);
    done.push(
      await inTurn(commonDir, () => checkOutOne(host, { place, pull, commonDir, cwd, force: order.force, signal })),
    );
  }
  const text = done.map(
    ({ number, branch, path, sha, isReused, url }) =>
      `Pull request #${number} is checked out${isReused ? ' (it was there already)' : ''}.\nWorktree: ${path}\nBranch: ${branch} at ${sha.slice(0, 12)}\n${url}`,
  );
  return textResult(plainText(text.join('\n\n---\n\n')), {
    op: order.op,
    repo: `${place.repo.owner}/${place.repo.name}`,
    checkouts: done,
  });
}

interface OneCheckout {
  readonly place: Place;
  readonly pull: Pull;
  readonly commonDir: string;
  readonly cwd: string;
  readonly force: boolean;
  readonly signal: AbortSignal;
}

async function checkOutOne(
  host: GitHost,
  { place, pull, commonDir, cwd, force, signal }: OneCheckout,
): Promise<Checkout> {
  const branch = `pr-${pull.number}`;
  const git = (...args: string[]) => runGit(cwd, args, { signal });
  const source = baseAddress(place, pull);
  const fetched = await overNetwork(
    place,
    cwd,
    [
      'fetch',
      '--no-tags',
      '--no-write-fetch-head',
      '--no-recurse-submodules',
      source,
      `+${place.api.pullRef(pull.number)}:refs/tenon/pulls/${pull.number}`,
    ],
    signal,
  );
  must(fetched, 'fetch', 'Check that the token or the SSH key may read the repository.');
  const wanted = must(
    await git('rev-parse', '--verify', `refs/tenon/pulls/${pull.number}^{commit}`),
    'rev-parse',
    'Try again.',
  ).out.trim();
  const present = (await git('rev-parse', '--verify', '-q', `refs/heads/${branch}^{commit}`)).out.trim();
  const existing = await worktreeOf(git, branch);
  const facts = { number: pull.number, branch, url: pull.url, sha: wanted };
  if (existing !== undefined && present === wanted) return { ...facts, path: existing, isReused: true };
  if (present !== '' && present !== wanted && !force)
    throw errors.create('GITHUB_BRANCH_TAKEN', { branch, present: present.slice(0, 12), wanted: wanted.slice(0, 12) });
  if (existing !== undefined)
    throw errors.create('GITHUB_PLACE_TAKEN', {
      path: existing,
      reason: `${branch} is checked out there with another commit`,
    });
  const path = placeFor(host.folders, commonDir, pull.number);
  // Whatever is there, a link too, is somebody's.
  if ((await lstat(path).catch(() => undefined)) !== undefined)
    throw errors.create('GITHUB_PLACE_TAKEN', { path, reason: 'something is there already' });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  must(await git('branch', '--no-track', '--force', branch, wanted), 'branch', 'Is the branch checked out elsewhere?');
  must(
    await git('worktree', 'add', '--quiet', path, branch),
    'worktree add',
    'Run `git worktree prune` and try again.',
  );
  await remember(git, branch, place, pull, wanted);
  return { ...facts, path, isReused: false };
}

/** Where the base repository is: as the remote of the folder reaches it, else by HTTP. */
function baseAddress({ remote, host, repo }: Place, pull: Pull): string {
  if (remote?.protocol === 'ssh') return `ssh://git@${host}/${repo.owner}/${repo.name}.git`;
  return pull.base.cloneUrl;
}

/** For pr_push: which pull request a branch belongs to, and what was known of it. */
async function remember(
  git: (...args: string[]) => Promise<GitRun>,
  branch: string,
  { host, repo }: Place,
  pull: Pull,
  sha: string,
): Promise<void> {
  const values = { tenonPull: `${host}/${repo.owner}/${repo.name}#${pull.number}`, tenonPullHead: sha };
  for (const [key, value] of Object.entries(values))
    must(await git('config', `branch.${branch}.${key}`, value), 'config', 'Check the permissions of .git/config.');
}

async function worktreeOf(git: (...args: string[]) => Promise<GitRun>, branch: string): Promise<string | undefined> {
  const { out } = await git('worktree', 'list', '--porcelain', '-z');
  const blocks = out.split('\0\0').map((block) => block.split('\0'));
  const block = blocks.find((lines) => lines.includes(`branch refs/heads/${branch}`));
  return block?.find((line) => line.startsWith('worktree '))?.slice('worktree '.length);
}

/** Pushes a branch of pr_checkout back to the branch that the pull request is from. */
export async function push(
  host: GitHost,
  order: Order,
  place: Place,
  cwd: string,
  signal: AbortSignal,
): Promise<ToolResult> {
  await refuseForeignPrograms(host, cwd, signal);
  const branch = order.branch ?? (await currentBranch(cwd, signal));
  const number = branch === undefined ? undefined : Number(/^pr-(\d+)$/.exec(branch)?.[1]);
  const known =
    branch === undefined ? '' : (await runGit(cwd, ['config', `branch.${branch}.tenonPull`], { signal })).out.trim();
  const expected = `${place.host}/${place.repo.owner}/${place.repo.name}#${number}`;
  if (branch === undefined || !number || known.toLowerCase() !== expected.toLowerCase())
    throw errors.create('GITHUB_NOT_A_PULL_BRANCH', { branch: branch ?? '(none)' });
  // The server says where the branch lives; what the folder remembers could have been changed.
  const pull = await place.api.pull(place.repo, number, false);
  const { cloneUrl, branch: headBranch, repo } = pull.head;
  if (repo === '' || cloneUrl === '')
    throw errors.create('GITHUB_INPUT', {
      reason: 'The repository of the pull request is gone',
      todo: 'Push to a branch of your own and open a new pull request.',
    });
  const target = place.remote?.protocol === 'ssh' ? `ssh://git@${place.host}/${repo}.git` : cloneUrl;
  const lease = (await runGit(cwd, ['config', `branch.${branch}.tenonPullHead`], { signal })).out.trim();
  const force = order.forceWithLease ? [`--force-with-lease=refs/heads/${headBranch}:${lease}`] : [];
  const spec = `refs/heads/${branch}:refs/heads/${headBranch}`;
  const run = await overNetwork(place, cwd, ['push', '--no-recurse-submodules', ...force, target, spec], signal);
  must(
    run,
    'push',
    order.forceWithLease
      ? 'Somebody else has changed the branch: check it out again and look.'
      : 'Fetch and rebase, or set `forceWithLease` after a rebase.',
  );
  const sha = (await runGit(cwd, ['rev-parse', `refs/heads/${branch}`], { signal })).out.trim();
  await runGit(cwd, ['config', `branch.${branch}.tenonPullHead`, sha], { signal });
  return textResult(plainText(`Pushed ${branch} (${sha.slice(0, 12)}) to ${repo}:${headBranch}.\n${pull.url}`), {
    op: order.op,
    branch,
    remoteBranch: headBranch,
    headSha: sha,
    meta: { source: { type: 'url', value: pull.url } },
  });
}

/** Git with the token of the server, for that server alone: as a setting in the environment, so that no list of processes shows it. */
function overNetwork(
  { token, host }: Place,
  cwd: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<GitRun> {
  const address = args.find((word) => /^(?:https?|ssh):\/\//.test(word)) ?? '';
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  // A server could name any address as that of a repository; the token is for its own host.
  if (isHttp && url.host !== host)
    throw errors.create('GITHUB_REDIRECT', { host, to: url.host, reason: 'it is another server' });
  const basic = token && Buffer.from(`x-access-token:${token.value}`).toString('base64');
  const settings: GitSetting[] = [
    ['http.followRedirects', 'false'],
    ...(isHttp && basic !== undefined
      ? ([
          ['credential.helper', ''],
          [`http.${url.origin}/.extraHeader`, `Authorization: Basic ${basic}`],
        ] satisfies GitSetting[])
      : []),
  ];
  return runGit(cwd, args, {
    signal,
    settings,
    env: {
      GIT_ALLOW_PROTOCOL: isHttp ? url.protocol.replace(':', '') : 'ssh',
      GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ForwardAgent=no',
      GIT_ASKPASS: '',
      SSH_ASKPASS: '',
    },
    maxBytes: 16 * 1024 * 1024,
  });
}

function must(run: GitRun, command: string, todo: string): GitRun {
  if (run.code === 0) return run;
  const reason = plainText(gitReason(run))
    .trim()
    .split('\n')
    .slice(-3)
    .join('; ')
    .replaceAll(/Authorization: \S+ \S+/g, '***');
  throw errors.create('GITHUB_GIT', { command, reason, todo });
}

/** The settings of a repository can name programs; they run outside of the sandbox only where the user trusts the folder. */
async function refuseForeignPrograms(host: GitHost, cwd: string, signal: AbortSignal): Promise<void> {
  const run = await runGit(cwd, ['config', '--local', '--no-includes', '--name-only', '-z', '--list'], { signal });
  const names = [...new Set(run.out.split('\0').filter((name) => RUNS_PROGRAMS.test(name)))];
  if (names.length === 0) return;
  const state = await (await host.trust())?.stateOf(cwd);
  if (state !== 'trusted') throw errors.create('GITHUB_GIT_SETTINGS', { names: names.slice(0, 10) });
}
