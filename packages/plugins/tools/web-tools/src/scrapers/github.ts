/** GitHub by its REST interface: repositories, files, folders, issues, pull requests, commits, releases, gists. */
import type { ScrapeCall, Scraped, Scraper } from '../api.ts';
import { base, day, facts, getJson, join, type Loose, object, objects, pathOf, text } from './site.ts';

/** Where GitHub is and who asks. */
export interface GitHubOptions {
  readonly api: string;
  readonly raw: string;
  readonly token: string | undefined;
}

const MAX_COMMENTS = 50;
/** Parts of the site that look like `owner/name` and are none. */
const RESERVED = new Set([
  'about',
  'features',
  'marketplace',
  'orgs',
  'search',
  'settings',
  'sponsors',
  'topics',
  'trending',
  'users',
]);

/** The scraper for github.com and gist.github.com. */
export function githubScraper({ api, raw, token }: GitHubOptions): Scraper {
  const headers = {
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    ...(token && { authorization: `Bearer ${token}` }),
  };
  return {
    async scrape(url, call) {
      const parts = pathOf(url);
      const ask = (path: string) => getJson(call, `${base(api)}${path}`, headers);
      if (new URL(url).hostname.startsWith('gist.')) return gist(parts, ask);
      const [owner, name, section, ...rest] = parts;
      if (owner === undefined || name === undefined || RESERVED.has(owner)) return undefined;
      const repo = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name.replace(/\.git$/, ''))}`;
      const [first = '', ...more] = rest;
      switch (section) {
        case undefined:
          return repository(repo, ask, call, `${base(api)}${repo}/readme`, headers);
        case 'blob':
        case 'raw':
          return first === ''
            ? undefined
            : { instead: `${base(raw)}/${[owner, name, first, ...more].map(encodeURIComponent).join('/')}` };
        case 'tree':
          return folder(repo, first, more, ask);
        case 'issues':
          return /^\d+$/.test(first) ? issue(repo, first, ask) : first === '' ? list(repo, 'issues', ask) : undefined;
        case 'pull':
          return /^\d+$/.test(first) ? pull(repo, first, ask) : undefined;
        case 'pulls':
          return first === '' ? list(repo, 'pulls', ask) : undefined;
        case 'commit':
          return commit(repo, first, ask);
        case 'releases':
          return releases(repo, first, more, ask);
        default:
          return undefined;
      }
    },
  };
}

type Ask = (path: string) => Promise<unknown>;

async function repository(
  repo: string,
  ask: Ask,
  call: ScrapeCall,
  readmeUrl: string,
  headers: Readonly<Record<string, string>>,
): Promise<Scraped | undefined> {
  const response = await ask(repo);
  if (response === undefined) return undefined;
  const about = object(response);
  const readme = await call.get(readmeUrl, { ...headers, accept: 'application/vnd.github.raw+json' });
  const title = text(about['full_name']);
  const topics = Array.isArray(about['topics']) ? about['topics'].join(', ') : '';
  return {
    title,
    text: join(
      `# ${title}`,
      text(about['description']),
      facts({
        Stars: text(about['stargazers_count']),
        Language: text(about['language']),
        License: text(object(about['license'])['spdx_id']),
        Topics: topics,
        Homepage: text(about['homepage']),
        'Default branch': text(about['default_branch']),
        'Open issues': text(about['open_issues_count']),
        'Last push': day(about['pushed_at']),
        State: about['archived'] === true ? 'archived' : '',
      }),
      readme.status === 200 ? `---\n\n${readme.text}` : undefined,
    ),
  };
}

async function folder(repo: string, ref: string, path: readonly string[], ask: Ask): Promise<Scraped | undefined> {
  const where = path.map(encodeURIComponent).join('/');
  const response = await ask(`${repo}/contents/${where}${ref === '' ? '' : `?ref=${encodeURIComponent(ref)}`}`);
  if (!Array.isArray(response)) return undefined;
  const rows = objects(response).map((entry) =>
    entry['type'] === 'dir' ? `- ${text(entry['name'])}/` : `- ${text(entry['name'])} (${text(entry['size'])} bytes)`,
  );
  return { text: join(`# ${path.join('/') || '/'} at ${ref}`, rows.join('\n')) };
}

async function issue(repo: string, number: string, ask: Ask): Promise<Scraped | undefined> {
  const response = await ask(`${repo}/issues/${number}`);
  if (response === undefined) return undefined;
  const about = object(response);
  // The interface calls pull requests issues too.
  if (about['pull_request']) return pull(repo, number, ask);
  return {
    ...thread(about, 'Issue'),
    text: join(thread(about, 'Issue').text, await comments(repo, number, about, ask)),
  };
}

async function pull(repo: string, number: string, ask: Ask): Promise<Scraped | undefined> {
  const response = await ask(`${repo}/pulls/${number}`);
  if (response === undefined) return undefined;
  const about = object(response);
  const files = objects(await ask(`${repo}/pulls/${number}/files?per_page=100`));
  const rows = files.map(
    (file) =>
      `- ${text(file['filename'])} (${text(file['status'])}, +${text(file['additions'])} -${text(file['deletions'])})`,
  );
  const { title, text: head } = thread(about, 'Pull request');
  const branches = facts({
    From: text(object(about['head'])['label']),
    Into: text(object(about['base'])['label']),
    Merged: day(about['merged_at']),
  });
  const changed = rows.length > 0 ? `## Files\n\n${rows.join('\n')}` : '';
  return { title, text: join(head, branches, changed, await comments(repo, number, about, ask)) };
}

function thread(about: Loose, kind: string): { title: string; text: string } {
  const title = text(about['title']);
  const labels = objects(about['labels'])
    .map((label) => text(label['name']))
    .join(', ');
  return {
    title,
    text: join(
      `# ${title} (${kind} #${text(about['number'])})`,
      facts({
        State: [text(about['state']), text(about['state_reason'])].filter(Boolean).join(', '),
        Author: text(object(about['user'])['login']),
        Created: day(about['created_at']),
        Closed: day(about['closed_at']),
        Labels: labels,
      }),
      text(about['body']),
    ),
  };
}

async function comments(repo: string, number: string, about: Loose, ask: Ask): Promise<string> {
  if (about['comments'] === 0) return '';
  const found = objects(await ask(`${repo}/issues/${number}/comments?per_page=${MAX_COMMENTS}`));
  const said = found.map(
    (comment) =>
      `### ${text(object(comment['user'])['login'])}, ${day(comment['created_at'])}\n\n${text(comment['body'])}`,
  );
  const total = Number(about['comments'] ?? found.length);
  const rest = total > found.length ? `… and ${total - found.length} more comments` : '';
  return said.length > 0 ? join('## Comments', ...said, rest) : '';
}

async function list(repo: string, kind: 'issues' | 'pulls', ask: Ask): Promise<Scraped | undefined> {
  const response = await ask(`${repo}/${kind}?state=open&per_page=50`);
  if (response === undefined) return undefined;
  const rows = objects(response)
    .filter((item) => kind === 'pulls' || !item['pull_request'])
    .map(
      (listed) =>
        `- #${text(listed['number'])} ${text(listed['title'])} (${text(object(listed['user'])['login'])}, ${day(listed['created_at'])})`,
    );
  return {
    text: join(kind === 'pulls' ? '# Open pull requests' : '# Open issues', rows.join('\n') || 'There are none.'),
  };
}

async function commit(repo: string, sha: string, ask: Ask): Promise<Scraped | undefined> {
  if (!/^[0-9a-f]{4,40}$/i.test(sha)) return undefined;
  const response = await ask(`${repo}/commits/${sha}`);
  if (response === undefined) return undefined;
  const about = object(response);
  const inner = object(about['commit']);
  const files = objects(about['files']).map(
    (file) => `## ${text(file['filename'])}\n\n\`\`\`diff\n${text(file['patch'])}\n\`\`\``,
  );
  const author = object(inner['author']);
  return {
    text: join(
      `# Commit ${text(about['sha']).slice(0, 12)}`,
      facts({ Author: text(author['name']), Date: day(author['date']) }),
      text(inner['message']),
      ...files,
    ),
  };
}

async function releases(repo: string, first: string, more: readonly string[], ask: Ask): Promise<Scraped | undefined> {
  if (first === 'tag' && more.length > 0)
    return oneRelease(await ask(`${repo}/releases/tags/${encodeURIComponent(more.join('/'))}`));
  if (first === 'latest') return oneRelease(await ask(`${repo}/releases/latest`));
  if (first !== '') return undefined;
  const response = await ask(`${repo}/releases?per_page=10`);
  if (response === undefined) return undefined;
  return { text: join('# Releases', ...objects(response).map((release) => releaseText(release, '##'))) };
}

function oneRelease(found: unknown): Scraped | undefined {
  return found === undefined
    ? undefined
    : { title: text(object(found)['name']), text: releaseText(object(found), '#') };
}

function releaseText(about: Loose, mark: string): string {
  const assets = objects(about['assets']).map(
    (asset) => `- ${text(asset['name'])} (${text(asset['size'])} bytes): ${text(asset['browser_download_url'])}`,
  );
  const name = text(about['name']) || text(about['tag_name']);
  const kind = about['prerelease'] === true ? 'pre-release' : '';
  return join(
    `${mark} ${name}`,
    facts({ Tag: text(about['tag_name']), Published: day(about['published_at']), Kind: kind }),
    text(about['body']),
    assets.join('\n'),
  );
}

async function gist(parts: readonly string[], ask: Ask): Promise<Scraped | undefined> {
  const id = parts.find((part) => /^[0-9a-f]{20,}$/i.test(part));
  const response = id === undefined ? undefined : await ask(`/gists/${id}`);
  if (response === undefined) return undefined;
  const about = object(response);
  const files = Object.values(object(about['files'])).map((file) => {
    const { filename, language, content } = object(file);
    return `## ${text(filename)}\n\n\`\`\`${text(language).toLowerCase()}\n${text(content)}\n\`\`\``;
  });
  return { text: join(`# ${text(about['description']) || 'Gist'}`, ...files) };
}
