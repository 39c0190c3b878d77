/** Operations that write on the server. */
import { runGit } from '@tenon/host';
import { textResult, type ToolCall, type ToolResult } from '@tenon/tools/api';
import { plainText } from '@tenon/wording';
import { errors } from '../errors.ts';
import type { Order } from '../order.ts';
import { currentBranch } from '../remotes.ts';
import type { Place } from '../servers.ts';
import type { Made } from '../things.ts';
import { has } from './reading.ts';

const MAX_COMMITS = 50;

/** Does one of them. */
export async function change(order: Order, place: Place, cwd: string, call: ToolCall): Promise<ToolResult> {
  const { api, repo } = place;
  const { op, number = 0, body, thread } = order;
  const name = `${repo.owner}/${repo.name}`;
  switch (op) {
    case 'issue_create': {
      const { title, labels, assignees } = order;
      return told(order, place, await api.createIssue(repo, { title, body, labels, assignees }), 'Created issue');
    }
    case 'issue_comment':
      return told(
        order,
        place,
        await api.comment(repo, number, body, 'issue'),
        `Commented on issue ${number} of ${name}`,
      );
    case 'pr_comment':
      return told(
        order,
        place,
        await api.comment(repo, number, body, 'pull'),
        `Commented on pull request ${number} of ${name}`,
      );
    case 'pr_review': {
      const made = await has(place, op, api.review?.bind(api))(repo, number, { event: order.event, body });
      return told(order, place, made, `Reviewed pull request ${number} of ${name}: ${order.event}`);
    }
    case 'pr_reply':
      return told(
        order,
        place,
        await has(place, op, api.reply?.bind(api))(repo, number, thread, body),
        'Answered in the thread',
      );
    case 'pr_resolve':
      await has(place, op, api.resolve?.bind(api))(repo, thread);
      return textResult(`Resolved thread ${thread} of pull request ${number}.`, { op, repo: name });
    default:
      return createPull(order, place, cwd, call);
  }
}

function told({ op }: Order, { repo, host }: Place, { url, number }: Made, what: string): ToolResult {
  const id = number === undefined ? '' : ` #${number}`;
  return textResult(plainText(`${what}${what.startsWith('Created') ? id : ''}.\n${url}`), {
    op,
    host,
    repo: `${repo.owner}/${repo.name}`,
    ...(number !== undefined && { number }),
    meta: { source: { type: 'url', value: url } },
  });
}

async function createPull(order: Order, place: Place, cwd: string, { signal }: ToolCall): Promise<ToolResult> {
  const { api, repo } = place;
  const head = order.head ?? (await currentBranch(cwd, signal));
  if (head === undefined)
    throw errors.create('GITHUB_INPUT', {
      reason: 'No branch is checked out',
      todo: 'Name the branch with the changes in `head`.',
    });
  const base = order.base ?? (await api.repository(repo)).defaultBranch;
  if (base === head)
    throw errors.create('GITHUB_INPUT', {
      reason: `The branch "${head}" cannot be merged into itself`,
      todo: 'Commit to a branch of its own and push it.',
    });
  const { title, body } = order.fill ? await fromCommits(cwd, place, base, head, signal) : order;
  const made = await api.createPull(repo, { title, body, base, head, draft: order.draft });
  const people = { reviewers: order.reviewers, assignees: order.assignees, labels: order.labels };
  const wants = people.reviewers.length + people.assignees.length + people.labels.length > 0;
  const problems =
    wants && made.number !== undefined
      ? ((await api.decorate?.(repo, made.number, people)) ?? [
          'Reviewers, assignees and labels are not set on this server.',
        ])
      : [];
  const rows = [
    `Created pull request #${made.number ?? '?'}: ${title}`,
    made.url,
    `${head} -> ${base}${order.draft ? ', draft' : ''}`,
    ...problems.map((problem) => `[${problem}]`),
  ];
  return textResult(plainText(rows.join('\n')), {
    op: order.op,
    repo: `${repo.owner}/${repo.name}`,
    number: made.number,
    meta: { source: { type: 'url', value: made.url } },
  });
}

/** One commit speaks for itself; several are listed under the name of the branch. */
async function fromCommits(
  cwd: string,
  { remote }: Place,
  base: string,
  head: string,
  signal: AbortSignal,
): Promise<{ title: string; body: string }> {
  const failed = (reason: string) =>
    errors.create('GITHUB_INPUT', { reason, todo: 'Give `title` and `body` instead of `fill`.' });
  const name = head.includes(':') ? head.slice(head.indexOf(':') + 1) : head;
  for (const start of [
    ...(remote?.remote === undefined ? [] : [`refs/remotes/${remote.remote}/${base}`]),
    `refs/heads/${base}`,
  ]) {
    const range = `${start}..refs/heads/${name}`;
    const run = await runGit(
      cwd,
      ['log', '--reverse', `--max-count=${MAX_COMMITS}`, '--format=%s%x00%b%x00%x00', range, '--'],
      { signal },
    );
    if (run.code !== 0) continue;
    const commits = run.out
      .split('\0\0\n')
      .map((entry) => entry.split('\0'))
      .filter(([subject = '']) => subject.trim() !== '');
    const [first] = commits;
    if (!first) throw failed(`"${name}" has no commits that "${base}" has not`);
    if (commits.length === 1) return { title: first[0]?.trim() ?? '', body: first[1]?.trim() ?? '' };
    const words = name.replace(/^.*\//, '').replace(/[-_]+/g, ' ');
    return {
      title: `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`,
      body: commits.map(([subject = '']) => `- ${subject.trim()}`).join('\n'),
    };
  }
  signal.throwIfAborted();
  throw failed(`The commits between "${base}" and "${name}" are not known here`);
}
