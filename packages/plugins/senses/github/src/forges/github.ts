/** GitHub by its REST and GraphQL interfaces; GitHub Enterprise has the same at another place. */
import type { Forge, ForgeApi, ListQuery, NewPull, NewReview, SearchKind } from '../api.ts';
import type { ForgeClient } from '../http/forge-client.ts';
import { type Loose, number, object, objects, text } from '../http/loose.ts';
import type * as things from '../things.ts';
import { checkOf, hitOf, issueOf, jobOf, pullSideOf, runOf, summaryOf } from './github-things.ts';
import { replyToThread, resolveThread, reviewThreads } from './github-threads.ts';

const MAX_COMMENTS = 100;
const MAX_FILES = 300;
const MB = 1024 * 1024;
const SEARCHED = { issues: 'issues', prs: 'issues', code: 'code', commits: 'commits', repos: 'repositories' } as const;

/** GitHub. */
export const github: Forge = {
  apiOf(host) {
    if (host === 'github.com') return 'https://api.github.com';
    return host.endsWith('.ghe.com') ? `https://api.${host}` : `https://${host}/api/v3`;
  },
  authorization: (token) => ({ authorization: `Bearer ${token}` }),
  open: (client) => new GitHub(client),
};

/** The place of a repository in the API. */
export function placeOf({ owner, name }: things.RepoName): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

/** One GitHub server. Gitea has grown from the same interface. */
export class GitHub implements ForgeApi {
  protected readonly client: ForgeClient;

  constructor(client: ForgeClient) {
    this.client = client;
  }

  async repository(repo: things.RepoName): Promise<things.Repository> {
    const it = object(await this.client.json(placeOf(repo), { what: `repository ${repo.owner}/${repo.name}` }));
    const [owner = repo.owner, name = repo.name] = text(it['full_name']).split('/');
    const topics = Array.isArray(it['topics']) ? it['topics'].map(text).join(', ') : '';
    const permissions = Object.entries(object(it['permissions'])).filter(([, has]) => has === true);
    const flags = ['archived', 'fork', 'is_template'].filter((flag) => it[flag] === true).join(', ');
    const facts: [string, string][] = [
      ['Visibility', text(it['visibility']) || (it['private'] === true ? 'private' : 'public')],
      ['Permissions', permissions.map(([permission]) => permission).join(', ')],
      ['Language', text(it['language'])],
      ['Stars', text(it['stargazers_count'] ?? it['stars_count'])],
      ['Forks', text(it['forks_count'])],
      ['Open issues', text(it['open_issues_count'])],
      ['Flags', flags],
      ['Parent', text(object(it['parent'])['full_name'])],
      ['Updated', text(it['pushed_at'] ?? it['updated_at'])],
      ['Homepage', text(it['homepage'] ?? it['website'])],
      ['Topics', topics],
    ];
    return {
      owner,
      name,
      url: text(it['html_url']),
      description: text(it['description']),
      defaultBranch: text(it['default_branch']),
      isPrivate: it['private'] === true,
      facts: facts.filter(([, value]) => value !== ''),
    };
  }

  async issue(repo: things.RepoName, id: number, withComments: boolean): Promise<things.Issue> {
    const what = `issue ${id} of ${repo.owner}/${repo.name}`;
    const it = object(await this.client.json(`${placeOf(repo)}/issues/${id}`, { what }));
    return issueOf(it, await this.#comments(repo, id, withComments && number(it['comments']) > 0));
  }

  async #comments(repo: things.RepoName, id: number, wanted: boolean): Promise<things.Listed<things.Comment>> {
    if (!wanted) return { items: [], isCut: false };
    const { items, isCut } = await this.client.list(`${placeOf(repo)}/issues/${id}/comments`, MAX_COMMENTS);
    return { items: items.map(commentOf), isCut };
  }

  async issues(repo: things.RepoName, query: ListQuery): Promise<things.Listed<things.IssueSummary>> {
    const { state, limit, author, label } = query;
    const ask = {
      query: { state: state === 'merged' ? 'closed' : state, creator: author, labels: label, ...this.issuesOnly() },
      what: `repository ${repo.owner}/${repo.name}`,
    };
    // Pull requests are in the list too, so more than wanted are asked for.
    const { items, isCut } = await this.client.list(`${placeOf(repo)}/issues`, Math.min(300, limit * 3), ask);
    const issues = items.filter((it) => it['pull_request'] === undefined || it['pull_request'] === null);
    return { items: issues.slice(0, limit).map(summaryOf), isCut: isCut || issues.length > limit };
  }

  protected issuesOnly(): Readonly<Record<string, string>> {
    return {};
  }

  async pull(repo: things.RepoName, id: number, withComments: boolean): Promise<things.Pull> {
    const place = `${placeOf(repo)}/pulls/${id}`;
    const it = object(await this.client.json(place, { what: `pull request ${id} of ${repo.owner}/${repo.name}` }));
    const [files, comments, reviews] = await Promise.all([
      this.client.list(`${place}/files`, MAX_FILES),
      this.#comments(repo, id, withComments),
      withComments ? this.client.list(`${place}/reviews`, MAX_COMMENTS) : { items: [], isCut: false },
    ]);
    const isMerged = it['merged'] === true || text(it['merged_at']) !== '';
    return {
      ...issueOf(it, comments),
      state: isMerged ? 'merged' : text(it['state']),
      isDraft: it['draft'] === true,
      isMerged,
      mergeState: text(it['mergeable_state']) || (it['mergeable'] === false ? 'dirty' : ''),
      base: pullSideOf(it['base']),
      head: pullSideOf(it['head']),
      maintainerCanModify: it['maintainer_can_modify'] === true || it['allow_maintainer_edit'] === true,
      files: {
        items: files.items.map((file) => ({
          path: text(file['filename']),
          status: text(file['status']),
          additions: number(file['additions']),
          deletions: number(file['deletions']),
        })),
        isCut: files.isCut,
      },
      reviews: {
        items: reviews.items.map(reviewOf).filter(({ body, verdict }) => body !== '' || verdict !== 'COMMENTED'),
        isCut: reviews.isCut,
      },
    };
  }

  async pulls(
    repo: things.RepoName,
    { state, limit, author, label }: ListQuery,
  ): Promise<things.Listed<things.IssueSummary>> {
    const fits = (it: Loose) =>
      (state !== 'merged' || text(it['merged_at']) !== '') &&
      (author === undefined || text(object(it['user'])['login']).toLowerCase() === author.toLowerCase()) &&
      (label === undefined ||
        objects(it['labels']).some((one) => text(one['name']).toLowerCase() === label.toLowerCase()));
    const isFiltered = state === 'merged' || author !== undefined || label !== undefined;
    const ask = {
      query: { state: state === 'merged' ? 'closed' : state, sort: this.newestFirst(), direction: 'desc' },
      what: `repository ${repo.owner}/${repo.name}`,
    };
    // The server cannot choose by author or label, so some pages are looked through.
    const { items, isCut } = await this.client.list(`${placeOf(repo)}/pulls`, isFiltered ? 300 : limit, ask);
    const fitting = items.filter(fits);
    return { items: fitting.slice(0, limit).map(summaryOf), isCut: isCut || fitting.length > limit };
  }

  protected newestFirst(): string {
    return 'created';
  }

  async diff(repo: things.RepoName, id: number): Promise<string> {
    const ask = { accept: 'application/vnd.github.diff', maxBytes: 20 * MB, what: `pull request ${id}` };
    return (await this.client.ask(`${placeOf(repo)}/pulls/${id}`, ask)).body;
  }

  async comment(repo: things.RepoName, id: number, body: string): Promise<things.Made> {
    const what = `issue or pull request ${id}`;
    return madeOf(
      await this.client.json(`${placeOf(repo)}/issues/${id}/comments`, { method: 'POST', body: { body }, what }),
    );
  }

  async createIssue(repo: things.RepoName, { title, body, labels, assignees }: things.NewIssue): Promise<things.Made> {
    const sent = { title, body, ...(labels.length > 0 && { labels }), ...(assignees.length > 0 && { assignees }) };
    return madeOf(await this.client.json(`${placeOf(repo)}/issues`, { method: 'POST', body: sent }));
  }

  async createPull(repo: things.RepoName, pull: NewPull): Promise<things.Made> {
    return madeOf(await this.client.json(`${placeOf(repo)}/pulls`, { method: 'POST', body: pull }));
  }

  async decorate(
    repo: things.RepoName,
    id: number,
    { reviewers, assignees, labels }: things.Decoration,
  ): Promise<readonly string[]> {
    const people = reviewers.filter((name) => !name.includes('/'));
    const teams = reviewers.filter((name) => name.includes('/')).map((name) => name.split('/')[1] ?? '');
    const steps: [string, readonly string[], string, unknown][] = [
      ['reviewers', reviewers, `pulls/${id}/requested_reviewers`, { reviewers: people, team_reviewers: teams }],
      ['assignees', assignees, `issues/${id}/assignees`, { assignees }],
      ['labels', labels, `issues/${id}/labels`, { labels }],
    ];
    const problems: string[] = [];
    for (const [what, given, path, body] of steps) {
      if (given.length === 0) continue;
      // The pull request is there already: what goes with it must not make it look as if it were not.
      await this.client.json(`${placeOf(repo)}/${path}`, { method: 'POST', body }).catch((fault: Error) => {
        problems.push(`The ${what} could not be set: ${fault.message}`);
      });
    }
    return problems;
  }

  async pullOfBranch(repo: things.RepoName, branch: string): Promise<number | undefined> {
    const query = { head: `${repo.owner}:${branch}`, state: 'open' };
    const { items } = await this.client.list(`${placeOf(repo)}/pulls`, 10, { query });
    return items
      .map((it) => ({ id: number(it['number']), branch: text(object(it['head'])['ref']) }))
      .find((it) => it.branch === branch)?.id;
  }

  pullRef(id: number): string {
    return `refs/pull/${id}/head`;
  }

  async checks(repo: things.RepoName, sha: string): Promise<things.Listed<things.Check>> {
    const place = `${placeOf(repo)}/commits/${encodeURIComponent(sha)}`;
    const [runs, statuses] = await Promise.all([
      this.client.list(`${place}/check-runs`, MAX_FILES, {}, (page) => objects(object(page)['check_runs'])),
      this.client.list(`${place}/status`, MAX_FILES, {}, (page) => objects(object(page)['statuses'])),
    ]);
    return {
      items: [...runs.items.map(checkOf), ...statuses.items.map(statusOf)],
      isCut: runs.isCut || statuses.isCut,
    };
  }

  threads(repo: things.RepoName, id: number): Promise<things.Listed<things.Thread>> {
    return reviewThreads(this.client, repo, id);
  }

  reply(repo: things.RepoName, id: number, thread: string, body: string): Promise<things.Made> {
    return replyToThread(this.client, thread, body, `thread ${thread} of pull request ${id}`);
  }

  resolve(_repo: things.RepoName, thread: string): Promise<void> {
    return resolveThread(this.client, thread);
  }

  async review(repo: things.RepoName, id: number, { event, body }: NewReview): Promise<things.Made> {
    const sent = { event: event.toUpperCase().replace(/^APPROVE$/, this.approval()), body };
    const what = `pull request ${id}`;
    return madeOf(await this.client.json(`${placeOf(repo)}/pulls/${id}/reviews`, { method: 'POST', body: sent, what }));
  }

  protected approval(): string {
    return 'APPROVE';
  }

  async search(kind: SearchKind, query: string, limit: number): Promise<things.Listed<things.Hit>> {
    const only = kind === 'issues' ? ' is:issue' : kind === 'prs' ? ' is:pr' : '';
    const accept = kind === 'code' ? 'application/vnd.github.text-match+json' : 'application/vnd.github+json';
    const content = object(
      await this.client.json(`/search/${SEARCHED[kind]}`, { query: { q: `${query}${only}`, per_page: limit }, accept }),
    );
    const items = objects(content['items']).slice(0, limit);
    const total = number(content['total_count']);
    return { items: items.map((it) => hitOf(kind, it)), total, isCut: total > items.length };
  }

  async headOf(repo: things.RepoName, branch: string): Promise<string> {
    const path = `${placeOf(repo)}/branches/${encodeURIComponent(branch)}`;
    return text(object(object(await this.client.json(path, { what: `branch ${branch}` }))['commit'])['sha']);
  }

  async runs(
    repo: things.RepoName,
    { branch, sha }: { readonly branch?: string; readonly sha?: string },
  ): Promise<things.Listed<things.Run>> {
    const ask = { query: { branch, head_sha: sha } };
    const limit = sha === undefined ? 20 : 100;
    const { items, isCut } = await this.client.list(`${placeOf(repo)}/actions/runs`, limit, ask, (page) =>
      objects(object(page)['workflow_runs']),
    );
    return { items: items.map(runOf), isCut };
  }

  async run(repo: things.RepoName, id: string): Promise<things.Run> {
    return runOf(object(await this.client.json(`${placeOf(repo)}/actions/runs/${id}`, { what: `run ${id}` })));
  }

  async jobs(repo: things.RepoName, run: string): Promise<things.Listed<things.Job>> {
    const { items, isCut } = await this.client.list(
      `${placeOf(repo)}/actions/runs/${run}/jobs`,
      MAX_FILES,
      {},
      (page) => objects(object(page)['jobs']),
    );
    return { items: items.map(jobOf), isCut };
  }

  async jobLog(repo: things.RepoName, job: string): Promise<string> {
    const ask = { accept: '*/*', maxBytes: 20 * MB, what: `log of job ${job}` };
    return (await this.client.ask(`${placeOf(repo)}/actions/jobs/${job}/logs`, ask)).body;
  }
}

function commentOf(it: Loose): things.Comment {
  return { author: text(object(it['user'])['login']), at: text(it['created_at']), body: text(it['body']) };
}

function reviewOf(it: Loose): things.Comment {
  return { ...commentOf(it), at: text(it['submitted_at']), verdict: text(it['state']) };
}

function statusOf(it: Loose): things.Check {
  const state = text(it['state'] ?? it['status']);
  return {
    name: text(it['context']),
    status: state === 'pending' ? 'in_progress' : 'completed',
    conclusion: state === 'pending' ? '' : state,
    url: text(it['target_url']),
  };
}

function madeOf(answer: unknown): things.Made {
  const it = object(answer);
  const id = number(it['number']);
  return { url: text(it['html_url']), ...(id > 0 && { number: id }) };
}
