/** What forges keep, written for the model. */
import { counted, plainLine } from '@tenon/wording';
import type * as things from './things.ts';

const SHOWN_FILES = 50;
const MAX_BODY = 20_000;
const MAX_COMMENT = 6_000;

/** A repository. */
export function repositoryText({ owner, name, description, url, defaultBranch, facts }: things.Repository): string {
  const rows = [['URL', url], ['Default branch', defaultBranch], ...facts].map(
    ([key = '', value = '']) => `${key}: ${plainLine(value)}`,
  );
  return [`# ${owner}/${name}`, ...(description === '' ? [] : [plainLine(description)]), '', ...rows].join('\n');
}

/** A list of issues or pull requests. */
export function listText(title: string, { items, isCut }: things.Listed<things.IssueSummary>): string {
  const rows = items.map(
    ({ number, title: name, state, author, labels, updatedAt }) =>
      `- #${number} ${plainLine(name)} (${[state, `by ${author}`, ...(labels.length > 0 ? [labels.map(plainLine).join(', ')] : []), `updated ${day(updatedAt)}`].join('; ')})`,
  );
  return [title, '', ...(rows.length > 0 ? rows : ['Nothing.']), ...more(isCut)].join('\n');
}

/** An issue with its comments. */
export function issueText(issue: things.Issue): string {
  return [...headOf(issue), '', ...bodyOf(issue.body), ...commentsText('Comments', issue.comments)].join('\n');
}

/** A pull request with its files, reviews and comments. */
export function pullText(pull: things.Pull): string {
  const { base, head, isDraft, mergeState, files, maintainerCanModify } = pull;
  const added = files.items.reduce((sum, file) => sum + file.additions, 0);
  const removed = files.items.reduce((sum, file) => sum + file.deletions, 0);
  const shown = files.items.slice(0, SHOWN_FILES);
  const rest = files.items.length - shown.length;
  return [
    ...headOf(pull),
    `Branches: ${head.repo === base.repo ? '' : `${head.repo || '(gone)'}:`}${head.branch} -> ${base.branch}`,
    `Commit: ${head.sha.slice(0, 12)}`,
    ...(isDraft ? ['Draft: yes'] : []),
    ...(mergeState === '' || pull.isMerged ? [] : [`Merge state: ${mergeState}`]),
    ...(head.repo !== base.repo && maintainerCanModify ? ['Maintainers may push to it.'] : []),
    '',
    ...bodyOf(pull.body),
    `## ${counted(files.items.length, 'changed file')}${files.isCut ? ' and more' : ''} (+${added} -${removed})`,
    ...shown.map((file) => `- ${plainLine(file.path)} (${file.status}, +${file.additions} -${file.deletions})`),
    ...(rest > 0 ? [`- … ${rest} more`] : []),
    '',
    ...commentsText('Reviews', pull.reviews),
    ...commentsText('Comments', pull.comments),
  ].join('\n');
}

function headOf(issue: things.Issue): string[] {
  const { number, title, state, author, labels, assignees, milestone, createdAt, updatedAt, url } = issue;
  return [
    `# #${number} ${plainLine(title)}`,
    `State: ${state}`,
    `Author: ${author}, ${day(createdAt)}; updated ${day(updatedAt)}`,
    ...(labels.length > 0 ? [`Labels: ${labels.map(plainLine).join(', ')}`] : []),
    ...(assignees.length > 0 ? [`Assignees: ${assignees.join(', ')}`] : []),
    ...(milestone === '' ? [] : [`Milestone: ${plainLine(milestone)}`]),
    `URL: ${url}`,
  ];
}

function bodyOf(body: string): string[] {
  return [cut(body.trim(), MAX_BODY) || '(no description)', ''];
}

function commentsText(title: string, { items, isCut }: things.Listed<things.Comment>): string[] {
  if (items.length === 0) return [];
  return [`## ${title} (${items.length}${isCut ? ' and more' : ''})`, '', ...items.flatMap(commentText)];
}

function commentText({ author, at, body, verdict }: things.Comment): string[] {
  const state = verdict === undefined ? '' : `, ${verdict.toLowerCase().replaceAll('_', ' ')}`;
  return [`### ${author || 'somebody'}, ${day(at)}${state}`, cut(body.trim(), MAX_COMMENT), ''];
}

/** Review threads with the ids that answers need. */
export function threadsText(number: number, { items, isCut }: things.Listed<things.Thread>): string {
  const open = items.filter(({ isResolved }) => !isResolved).length;
  const parts = items.flatMap(({ id, path, line, isResolved, isOutdated, comments }) => [
    `## ${plainLine(path)}${line === '' ? '' : `:${line}`} (${[isResolved ? 'resolved' : 'open', ...(isOutdated ? ['outdated'] : [])].join(', ')})`,
    `Thread: ${id}`,
    '',
    ...comments.flatMap(commentText),
  ]);
  return [`# Review threads of #${number}: ${open} open, ${items.length} in all`, '', ...parts, ...more(isCut)]
    .join('\n')
    .trimEnd();
}

/** Checks, the failed ones first. */
export function checksText(title: string, { items, isCut }: things.Listed<things.Check>): string {
  const sorted = items.toSorted((left, right) => rankOf(left) - rankOf(right));
  const rows = sorted.map(
    ({ name, status, conclusion, url }) =>
      `- ${conclusion || status}: ${plainLine(name)}${url === '' ? '' : ` (${plainLine(url)})`}`,
  );
  const count = (wanted: (check: things.Check) => boolean) => items.filter(wanted).length;
  const failed = count(isFailed);
  const running = count(({ status }) => status !== 'completed');
  return [
    title,
    `${failed} failed, ${running} running, ${items.length - failed - running} finished`,
    '',
    ...(rows.length > 0 ? rows : ['No checks.']),
    ...more(isCut),
  ].join('\n');
}

/** Whether something has ended badly. */
export function isFailed({ conclusion }: { readonly conclusion: string }): boolean {
  return ['failure', 'error', 'timed_out', 'cancelled', 'action_required', 'startup_failure', 'stale'].includes(
    conclusion,
  );
}

function rankOf(check: things.Check): number {
  return isFailed(check) ? 0 : check.status === 'completed' ? 2 : 1;
}

/** Results of a search. */
export function hitsText(title: string, query: string, { items, total, isCut }: things.Listed<things.Hit>): string {
  const rows = items.flatMap(({ title: name, url, facts, excerpt }) => [
    `- ${plainLine(name)}${facts.length > 0 ? ` (${facts.map(plainLine).join('; ')})` : ''}`,
    `  ${plainLine(url)}`,
    ...(excerpt === undefined || excerpt === '' ? [] : [`  ${plainLine(excerpt).slice(0, 300)}`]),
  ]);
  const count = total === undefined ? `${items.length}` : `${items.length} of ${total}`;
  return [
    title,
    `Query: ${plainLine(query)}`,
    `Results: ${count}`,
    '',
    ...rows,
    ...(total === undefined ? more(isCut) : []),
  ]
    .join('\n')
    .trimEnd();
}

/** One line about a run. */
export function runLine({ id, name, branch, sha, event, status, conclusion, createdAt }: things.Run): string {
  return `- ${conclusion || status}: ${plainLine(name)} (run ${id}; ${plainLine(branch)} at ${sha.slice(0, 7)}; ${event}; ${day(createdAt)})`;
}

function more(isCut: boolean): string[] {
  return isCut ? ['', '[There are more; raise `limit` or narrow the question.]'] : [];
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}\n[… ${text.length - max} more characters]`;
}

/** The minute of a time stamp, as far as it is one. */
export function day(at: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(at) ? at.slice(0, 16).replace('T', ' ') : plainLine(at);
}
