/** GitLab by its REST interface: issues, merge requests, notes, pipelines as checks. */
import type { Forge, ForgeApi, ListQuery, NewPull, NewReview, SearchKind } from '../api.ts';
import type { ForgeClient } from '../http/forge-client.ts';
import { type Loose, number, object, objects, text } from '../http/loose.ts';
import { errors } from '../errors.ts';
import type * as things from '../things.ts';

const MAX_NOTES = 100;
const MB = 1024 * 1024;
const STATES = { open: 'opened', closed: 'closed', merged: 'merged', all: 'all' } as const;

/** GitLab. */
export const gitlab: Forge = {
  apiOf: (host) => `https://${host}/api/v4`,
  authorization: (token) => ({ 'private-token': token }),
  open: (client) => new GitLab(client),
};

function placeOf({ owner, name }: things.RepoName): string {
  return `/projects/${encodeURIComponent(`${owner}/${name}`)}`;
}

class GitLab implements ForgeApi {
  readonly #client: ForgeClient;

  constructor(client: ForgeClient) {
    this.#client = client;
  }

  async repository(repo: things.RepoName): Promise<things.Repository> {
    const it = object(await this.#client.json(placeOf(repo), { what: `repository ${repo.owner}/${repo.name}` }));
    const path = text(it['path_with_namespace']);
    const facts: [string, string][] = [
      ['Visibility', text(it['visibility'])],
      ['Stars', text(it['star_count'])],
      ['Forks', text(it['forks_count'])],
      ['Open issues', text(it['open_issues_count'])],
      ['Updated', text(it['last_activity_at'])],
    ];
    return {
      owner: path.split('/').slice(0, -1).join('/') || repo.owner,
      name: path.split('/').at(-1) || repo.name,
      url: text(it['web_url']),
      description: text(it['description']),
      defaultBranch: text(it['default_branch']),
      isPrivate: text(it['visibility']) !== 'public',
      facts: facts.filter(([, value]) => value !== ''),
    };
  }

  async issue(repo: things.RepoName, id: number, withComments: boolean): Promise<things.Issue> {
    const place = `${placeOf(repo)}/issues/${id}`;
    const it = object(await this.#client.json(place, { what: `issue ${id} of ${repo.owner}/${repo.name}` }));
    return issueOf(it, await this.#notes(place, withComments));
  }

  async #notes(place: string, wanted: boolean): Promise<things.Listed<things.Comment>> {
    if (!wanted) return { items: [], isCut: false };
    const { items, isCut } = await this.#client.list(`${place}/notes`, MAX_NOTES, { query: { sort: 'asc' } });
    const notes = items.filter((it) => it['system'] !== true);
    return {
      items: notes.map((it) => ({ author: personOf(it), at: text(it['created_at']), body: text(it['body']) })),
      isCut,
    };
  }

  async issues(repo: things.RepoName, query: ListQuery): Promise<things.Listed<things.IssueSummary>> {
    return this.#list(`${placeOf(repo)}/issues`, {
      ...query,
      state: query.state === 'merged' ? 'closed' : query.state,
    });
  }

  async pulls(repo: things.RepoName, query: ListQuery): Promise<things.Listed<things.IssueSummary>> {
    return this.#list(`${placeOf(repo)}/merge_requests`, query);
  }

  async #list(path: string, { state, limit, author, label }: ListQuery): Promise<things.Listed<things.IssueSummary>> {
    const ask = { query: { state: STATES[state], author_username: author, labels: label } };
    const { items, isCut } = await this.#client.list(path, limit, ask);
    return { items: items.map(summaryOf), isCut };
  }

  async pull(repo: things.RepoName, id: number, withComments: boolean): Promise<things.Pull> {
    const place = `${placeOf(repo)}/merge_requests/${id}`;
    const it = object(await this.#client.json(place, { what: `merge request ${id} of ${repo.owner}/${repo.name}` }));
    const [files, comments, source] = await Promise.all([
      this.#client.list(`${place}/diffs`, 100),
      this.#notes(place, withComments),
      this.#client.json(`/projects/${number(it['source_project_id'])}`).catch(() => ({})), // A fork may be gone.
    ]);
    const base = await this.repository(repo);
    const fork = object(source);
    return {
      ...issueOf(it, comments),
      isDraft: it['draft'] === true,
      isMerged: text(it['state']) === 'merged',
      mergeState: text(it['detailed_merge_status'] ?? it['merge_status']),
      base: {
        repo: `${base.owner}/${base.name}`,
        branch: text(it['target_branch']),
        sha: text(object(it['diff_refs'])['base_sha']),
        cloneUrl: `${base.url}.git`,
      },
      head: {
        repo: text(fork['path_with_namespace']),
        branch: text(it['source_branch']),
        sha: text(it['sha']),
        cloneUrl: text(fork['http_url_to_repo']),
      },
      maintainerCanModify: it['allow_collaboration'] === true,
      files: { items: files.items.map(fileOf), isCut: files.isCut },
      reviews: { items: [], isCut: false },
    };
  }

  async diff(repo: things.RepoName, id: number): Promise<string> {
    const ask = { accept: 'text/plain', maxBytes: 20 * MB, what: `merge request ${id}` };
    return (await this.#client.ask(`${placeOf(repo)}/merge_requests/${id}/raw_diffs`, ask)).body;
  }

  async comment(repo: things.RepoName, id: number, body: string, on: 'issue' | 'pull'): Promise<things.Made> {
    const place = `${placeOf(repo)}/${on === 'pull' ? 'merge_requests' : 'issues'}/${id}`;
    await this.#client.json(`${place}/notes`, { method: 'POST', body: { body }, what: `${on} ${id}` });
    return { url: text(object(await this.#client.json(place))['web_url']) };
  }

  async createIssue(repo: things.RepoName, { title, body, labels }: things.NewIssue): Promise<things.Made> {
    const sent = { title, description: body, ...(labels.length > 0 && { labels: labels.join(',') }) };
    return madeOf(await this.#client.json(`${placeOf(repo)}/issues`, { method: 'POST', body: sent }));
  }

  async createPull(repo: things.RepoName, { title, body, base, head, draft }: NewPull): Promise<things.Made> {
    const sent = {
      title: draft ? `Draft: ${title}` : title,
      description: body,
      target_branch: base,
      source_branch: head,
    };
    return madeOf(await this.#client.json(`${placeOf(repo)}/merge_requests`, { method: 'POST', body: sent }));
  }

  async review(repo: things.RepoName, id: number, { event, body }: NewReview): Promise<things.Made> {
    if (event === 'request_changes')
      throw errors.create('GITHUB_UNSUPPORTED', { op: 'request_changes', forge: 'GitLab' });
    const place = `${placeOf(repo)}/merge_requests/${id}`;
    if (event === 'approve')
      await this.#client.json(`${place}/approve`, { method: 'POST', body: {}, what: `merge request ${id}` });
    if (body !== '') return this.comment(repo, id, body, 'pull');
    return { url: text(object(await this.#client.json(place))['web_url']) };
  }

  async pullOfBranch(repo: things.RepoName, branch: string): Promise<number | undefined> {
    const query = { source_branch: branch, state: 'opened' };
    const { items } = await this.#client.list(`${placeOf(repo)}/merge_requests`, 1, { query });
    return items[0] && number(items[0]['iid']);
  }

  pullRef(id: number): string {
    return `refs/merge-requests/${id}/head`;
  }

  async checks(repo: things.RepoName, sha: string): Promise<things.Listed<things.Check>> {
    const path = `${placeOf(repo)}/repository/commits/${encodeURIComponent(sha)}/statuses`;
    const { items, isCut } = await this.#client.list(path, 100);
    const checks = items.map((it): things.Check => {
      const state = text(it['status']);
      const runs = ['created', 'pending', 'running', 'waiting_for_resource', 'preparing'].includes(state);
      const conclusion = runs ? '' : state === 'failed' ? 'failure' : state;
      return {
        name: text(it['name']),
        status: runs ? 'in_progress' : 'completed',
        conclusion,
        url: text(it['target_url']),
      };
    });
    return { items: checks, isCut };
  }

  async search(kind: SearchKind, query: string, limit: number): Promise<things.Listed<things.Hit>> {
    if (kind === 'code' || kind === 'commits')
      throw errors.create('GITHUB_UNSUPPORTED', { op: `search_${kind}`, forge: 'GitLab' });
    const scopes = { issues: 'issues', prs: 'merge_requests', repos: 'projects' } as const;
    // Qualifiers are GitHub's; here they would be looked for as words.
    const repo = /\brepo:(\S+)/.exec(query)?.[1];
    const words = query.replace(/\b(?:repo|is|org|user|owner):\S+/g, '').trim();
    const place = repo === undefined || kind === 'repos' ? '/search' : `/projects/${encodeURIComponent(repo)}/search`;
    const { items, isCut } = await this.#client.list(place, limit, { query: { scope: scopes[kind], search: words } });
    const hits = items.map((it): things.Hit => {
      if (kind === 'repos')
        return {
          title: text(it['path_with_namespace']),
          url: text(it['web_url']),
          facts: [`${number(it['star_count'])} stars`],
          excerpt: text(it['description']),
        };
      const { number: id, title, state, author, updatedAt, url } = summaryOf(it);
      return { title: `#${id} ${title}`, url, facts: [state, `by ${author}`, `updated ${updatedAt}`] };
    });
    return { items: hits, isCut };
  }
}

function personOf(it: Loose): string {
  return text(object(it['author'])['username']);
}

function summaryOf(it: Loose): things.IssueSummary {
  const state = text(it['state']);
  return {
    number: number(it['iid']),
    title: text(it['title']),
    state: state === 'opened' ? 'open' : state,
    author: personOf(it),
    labels: Array.isArray(it['labels']) ? it['labels'].map(text) : [],
    createdAt: text(it['created_at']),
    updatedAt: text(it['updated_at']),
    url: text(it['web_url']),
  };
}

function issueOf(it: Loose, comments: things.Listed<things.Comment>): things.Issue {
  return {
    ...summaryOf(it),
    body: text(it['description']),
    assignees: objects(it['assignees']).map((person) => text(person['username'])),
    milestone: text(object(it['milestone'])['title']),
    comments,
  };
}

function fileOf(it: Loose): things.ChangedFile {
  const lines = text(it['diff']).split('\n');
  const status =
    it['new_file'] === true
      ? 'added'
      : it['deleted_file'] === true
        ? 'removed'
        : it['renamed_file'] === true
          ? 'renamed'
          : 'modified';
  return {
    path: text(it['new_path']),
    status,
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
  };
}

function madeOf(answer: unknown): things.Made {
  const it = object(answer);
  return { url: text(it['web_url']), number: number(it['iid']) };
}
