/** Gitea and Forgejo: an interface that grew from that of GitHub. */
import type { Forge, SearchKind } from '../api.ts';
import type { ForgeClient } from '../http/forge-client.ts';
import { objects } from '../http/loose.ts';
import type * as things from '../things.ts';
import { GitHub, placeOf } from './github.ts';
import { hitOf } from './github-things.ts';
import { errors } from '../errors.ts';

const MB = 1024 * 1024;

/** Gitea and Forgejo. */
export const gitea: Forge = {
  apiOf: (host) => `https://${host}/api/v1`,
  authorization: (token) => ({ authorization: `token ${token}` }),
  open: (client) => new Gitea(client),
};

class Gitea extends GitHub {
  constructor(client: ForgeClient) {
    super(client);
    // What only GitHub has.
    for (const name of ['threads', 'reply', 'resolve', 'jobLog', 'jobs', 'run', 'runs'] as const)
      Object.defineProperty(this, name, { value: undefined });
  }

  protected override issuesOnly(): Readonly<Record<string, string>> {
    return { type: 'issues' };
  }

  protected override newestFirst(): string {
    return 'recentupdate';
  }

  protected override approval(): string {
    return 'APPROVED';
  }

  override async diff(repo: things.RepoName, id: number): Promise<string> {
    const ask = { accept: 'text/plain', maxBytes: 20 * MB, what: `pull request ${id}` };
    return (await this.client.ask(`${placeOf(repo)}/pulls/${id}.diff`, ask)).body;
  }

  override async checks(repo: things.RepoName, sha: string): Promise<things.Listed<things.Check>> {
    const { items, isCut } = await this.client.list(
      `${placeOf(repo)}/commits/${encodeURIComponent(sha)}/statuses`,
      100,
    );
    const checks = items.map((it): things.Check => {
      const state = String(it['status'] ?? '');
      const isPending = state === 'pending' || state === '';
      return {
        name: String(it['context'] ?? ''),
        status: isPending ? 'in_progress' : 'completed',
        conclusion: isPending ? '' : state,
        url: String(it['target_url'] ?? ''),
      };
    });
    return { items: checks, isCut };
  }

  override async search(kind: SearchKind, query: string, limit: number): Promise<things.Listed<things.Hit>> {
    if (kind === 'code' || kind === 'commits')
      throw errors.create('GITHUB_UNSUPPORTED', { op: `search_${kind}`, forge: 'Gitea' });
    // Qualifiers are GitHub's; here they would be looked for as words.
    const words = query.replace(/\b(?:repo|is|org|user|owner):\S+/g, '').trim();
    const ask = {
      query: { q: words, limit, ...(kind !== 'repos' && { type: kind === 'prs' ? 'pulls' : 'issues', state: 'all' }) },
    };
    const path = kind === 'repos' ? '/repos/search' : '/repos/issues/search';
    const content = await this.client.json(path, ask);
    const found = Array.isArray(content) ? objects(content) : objects((content as { data?: unknown }).data);
    return { items: found.slice(0, limit).map((it) => hitOf(kind, it)), isCut: found.length >= limit };
  }
}
