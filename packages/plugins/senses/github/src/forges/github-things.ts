/** Answers of GitHub as the things that all forges have. */
import type { SearchKind } from '../api.ts';
import { type Loose, number, object, objects, text } from '../http/loose.ts';
import type * as things from '../things.ts';

/** An issue or pull request in a list. */
export function summaryOf(it: Loose): things.IssueSummary {
  const isMerged = text(it['merged_at']) !== '' || text(object(it['pull_request'])['merged_at']) !== '';
  return {
    number: number(it['number']),
    title: text(it['title']),
    state: isMerged ? 'merged' : text(it['state']),
    author: text(object(it['user'])['login']),
    labels: objects(it['labels']).map((label) => text(label['name'])),
    createdAt: text(it['created_at']),
    updatedAt: text(it['updated_at']),
    url: text(it['html_url']),
  };
}

/** An issue with its comments. */
export function issueOf(it: Loose, comments: things.Listed<things.Comment>): things.Issue {
  return {
    ...summaryOf(it),
    body: text(it['body']),
    assignees: objects(it['assignees']).map((person) => text(person['login'])),
    milestone: text(object(it['milestone'])['title']),
    comments,
  };
}

/** One side of a pull request. */
export function pullSideOf(value: unknown): things.PullSide {
  const side = object(value);
  const repo = object(side['repo']);
  return {
    repo: text(repo['full_name']),
    branch: text(side['ref']),
    sha: text(side['sha']),
    cloneUrl: text(repo['clone_url']),
  };
}

/** A check run. */
export function checkOf(it: Loose): things.Check {
  return {
    name: text(it['name']),
    status: text(it['status']),
    conclusion: text(it['conclusion']),
    url: text(it['html_url']),
  };
}

/** A workflow run. */
export function runOf(it: Loose): things.Run {
  return {
    id: text(it['id']),
    name: text(it['name']),
    branch: text(it['head_branch']),
    sha: text(it['head_sha']),
    event: text(it['event']),
    status: text(it['status']),
    conclusion: text(it['conclusion']),
    url: text(it['html_url']),
    createdAt: text(it['created_at']),
  };
}

/** A job of a run. */
export function jobOf(it: Loose): things.Job {
  const steps = objects(it['steps']);
  const failed = steps.find((step) => text(step['conclusion']) === 'failure');
  const current = failed ?? steps.find((step) => text(step['status']) === 'in_progress');
  return {
    id: text(it['id']),
    name: text(it['name']),
    status: text(it['status']),
    conclusion: text(it['conclusion']),
    step: text(current?.['name']),
    url: text(it['html_url']),
  };
}

/** Something that a search found. */
export function hitOf(kind: SearchKind, it: Loose): things.Hit {
  const repo = text(object(it['repository'])['full_name']);
  const url = text(it['html_url']);
  switch (kind) {
    case 'code': {
      const fragment = text(objects(it['text_matches'])[0]?.['fragment']);
      const excerpt = fragment.split('\n').find((line) => line.trim() !== '');
      const facts = [repo, text(it['sha']).slice(0, 7)].filter(Boolean);
      return { title: text(it['path']), url, facts, ...(excerpt !== undefined && { excerpt: excerpt.trim() }) };
    }
    case 'commits': {
      const commit = object(it['commit']);
      const author = object(commit['author']);
      const title = `${text(it['sha']).slice(0, 7)} ${text(commit['message']).split('\n')[0] ?? ''}`;
      return { title, url, facts: [repo, text(author['name']), text(author['date'])].filter(Boolean) };
    }
    case 'repos': {
      const count = (key: string, what: string) => `${number(it[key])} ${what}`;
      const flags = ['archived', 'fork', 'private'].filter((flag) => it[flag] === true);
      const facts = [text(it['language']), count('stargazers_count', 'stars'), count('forks_count', 'forks'), ...flags];
      const excerpt = text(it['description']);
      return { title: text(it['full_name']), url, facts: facts.filter(Boolean), ...(excerpt !== '' && { excerpt }) };
    }
    default: {
      const { number: id, title, state, author, labels, updatedAt } = summaryOf(it);
      const where = text(it['repository_url']).split('/').slice(-2).join('/');
      const facts = [where, state, author && `by ${author}`, labels.join(', '), updatedAt && `updated ${updatedAt}`];
      return { title: `#${id} ${title}`, url, facts: facts.filter(Boolean) };
    }
  }
}
