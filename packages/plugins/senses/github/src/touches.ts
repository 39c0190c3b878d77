/** What a call touches, said as the command that a person would type: it is judged and shown whole. */
import { shellWord } from '@tenon/wording';
import type { Touches } from '@tenon/tools/api';
import { CHANGING, type Order } from './order.ts';
import type { Target } from './servers.ts';

/** Whether an operation changes something. */
export function isChanging(op: string): boolean {
  return (CHANGING as readonly string[]).includes(op);
}

/** The declaration. `worktrees` are the folders that pr_checkout makes. */
export function touchesFor(order: Order, target: Target, cwd: string, worktrees: readonly string[]): Touches {
  const hosts = [...new Set([target.host, new URL(target.api).host])];
  if (!isChanging(order.op)) return { hosts };
  return { hosts, writes: worktrees, commands: [{ text: commandFor(order, target), cwd }] };
}

function commandFor(order: Order, target: Target): string {
  const { op, number, title, body, base, head, event, thread, branch } = order;
  const { owner = '', name = '' } = target.repo ?? {};
  const repo = `${target.host === 'github.com' ? '' : `${target.host}/`}${owner}/${name}`;
  const words = (...all: (string | number | undefined | false)[]) =>
    all
      .filter((word) => word !== undefined && word !== false)
      .map((word) => shellWord(String(word)))
      .join(' ');
  const flags = (flag: string, values: readonly string[]) => values.flatMap((value) => [flag, value]);
  const text = ['--body', body];
  switch (op) {
    case 'issue_create':
      return words(
        'gh',
        'issue',
        'create',
        '-R',
        repo,
        '--title',
        title,
        ...text,
        ...flags('--label', order.labels),
        ...flags('--assignee', order.assignees),
      );
    case 'issue_comment':
      return words('gh', 'issue', 'comment', number, '-R', repo, ...text);
    case 'pr_comment':
      return words('gh', 'pr', 'comment', number, '-R', repo, ...text);
    case 'pr_create': {
      const about = order.fill ? ['--fill'] : ['--title', title, ...text];
      const sides = [
        ...flags('--base', base === undefined ? [] : [base]),
        ...flags('--head', head === undefined ? [] : [head]),
      ];
      const people = [
        ...flags('--reviewer', order.reviewers),
        ...flags('--assignee', order.assignees),
        ...flags('--label', order.labels),
      ];
      return words('gh', 'pr', 'create', '-R', repo, ...sides, order.draft && '--draft', ...about, ...people);
    }
    case 'pr_review':
      return words('gh', 'pr', 'review', number, '-R', repo, `--${event.replace('_', '-')}`, ...text);
    case 'pr_reply':
      return words('gh', 'pr', 'comment', number, '-R', repo, '--reply-to', thread, ...text);
    case 'pr_resolve':
      return words('gh', 'pr', 'resolve', number, '-R', repo, thread);
    case 'pr_push':
      return words(
        'git',
        'push',
        order.forceWithLease && '--force-with-lease',
        `https://${target.host}/${owner}/${name}`,
        branch ?? 'HEAD',
      );
    default:
      return words(
        'gh',
        'pr',
        'checkout',
        ...(order.pulls.length > 0 ? order.pulls : [number]),
        '-R',
        repo,
        order.force && '--force',
      );
  }
}
