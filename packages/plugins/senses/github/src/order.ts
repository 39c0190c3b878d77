/** The input of a call, checked. */
import { Type } from '@tenon/kernel';
import { errors } from './errors.ts';

/** Operations that only read. */
export const READING = [
  'repo_view',
  'issue_view',
  'issue_list',
  'pr_view',
  'pr_list',
  'pr_diff',
  'pr_threads',
  'pr_checks',
  'search_issues',
  'search_prs',
  'search_code',
  'search_commits',
  'search_repos',
  'run_list',
  'run_watch',
] as const;

/** Operations that change something. */
export const CHANGING = [
  'issue_create',
  'issue_comment',
  'pr_comment',
  'pr_create',
  'pr_review',
  'pr_reply',
  'pr_resolve',
  'pr_checkout',
  'pr_push',
] as const;

/** What can be asked for. */
export type Op = (typeof READING)[number] | (typeof CHANGING)[number];

const STATES = ['open', 'closed', 'merged', 'all'] as const;
const EVENTS = ['approve', 'request_changes', 'comment'] as const;
const MAX_LIMIT = 50;
const MAX_TAIL = 200;
const MAX_BODY = 65_000;
const MAX_PULLS = 10;

/** A call, checked. */
export interface Order {
  readonly op: Op;
  readonly repo: string | undefined;
  readonly number: number | undefined;
  /** For pr_checkout: numbers, branches or addresses. */
  readonly pulls: readonly string[];
  readonly query: string;
  readonly state: (typeof STATES)[number];
  readonly author: string | undefined;
  readonly label: string | undefined;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly reviewers: readonly string[];
  readonly limit: number;
  readonly branch: string | undefined;
  readonly path: string | undefined;
  readonly title: string;
  readonly body: string;
  readonly base: string | undefined;
  readonly head: string | undefined;
  readonly draft: boolean;
  readonly fill: boolean;
  readonly event: (typeof EVENTS)[number];
  readonly thread: string;
  readonly run: string | undefined;
  readonly tail: number;
  readonly force: boolean;
  readonly forceWithLease: boolean;
}

/** The schema of the input. */
export function parameters() {
  const text = (description: string) => Type.Optional(Type.String({ description }));
  const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
  const names = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));
  const oneOf = (values: readonly string[], description: string) =>
    Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...values], description }));
  return Type.Object(
    {
      // Not a union of literals: some model providers only know `enum`.
      op: Type.Unsafe<string>({ type: 'string', enum: [...READING, ...CHANGING] }),
      repo: text('owner/name; the remote of the folder when absent'),
      number: Type.Optional(Type.Integer({ minimum: 1, description: 'Of the issue or pull request' })),
      pr: Type.Optional(
        Type.Union([Type.String(), Type.Array(Type.String())], { description: 'Numbers, branches or URLs' }),
      ),
      query: text('What to search'),
      state: oneOf(STATES, 'Default open'),
      author: text('Login'),
      label: names('Labels'),
      assignee: names('Logins'),
      reviewer: names('Logins, or org/team'),
      limit: Type.Optional(Type.Number({ description: `Default 10, at most ${MAX_LIMIT}` })),
      branch: text('Branch'),
      path: text('One file of the diff'),
      title: text('Title'),
      body: text('Text, in Markdown'),
      base: text('Branch to merge into'),
      head: text('Branch with the changes; owner:branch for a fork'),
      draft: flag('As a draft'),
      fill: flag('Title and body from the commits'),
      event: oneOf(EVENTS, 'The verdict'),
      thread: text('Id of the thread'),
      run: text('Id or URL of the run'),
      tail: Type.Optional(Type.Number({ description: `Lines of failed logs; default 15, at most ${MAX_TAIL}` })),
      force: flag('Reset an existing local branch'),
      forceWithLease: flag('Overwrite the remote branch if nobody else has changed it'),
    },
    { additionalProperties: false },
  );
}

/** Reads the input; what is wrong with it is an error that says how to put it right. */
export function orderOf(input: Readonly<Record<string, unknown>>): Order {
  const op = [...READING, ...CHANGING].find((name) => name === input['op']);
  if (!op) throw wrong('There is no such operation', `Use one of these: ${[...READING, ...CHANGING].join(', ')}.`);
  const text = (key: string) => (typeof input[key] === 'string' ? input[key].trim() : '');
  const optional = (key: string) => text(key) || undefined;
  const list = (key: string) => {
    const value = input[key];
    const all = Array.isArray(value) ? value : value === undefined ? [] : [value];
    return all.map((item) => String(item).trim()).filter(Boolean);
  };
  const bounded = (key: string, fallback: number, most: number) => {
    const value = input[key];
    if (value === undefined) return fallback;
    if (typeof value !== 'number' || !(value >= 1))
      throw wrong(`\`${key}\` must be a number above 0`, 'Leave it out or correct it.');
    return Math.min(most, Math.floor(value));
  };
  const address = addressIn(text('pr') || text('run'));
  const fromPull = /^#?\d+$/.test(text('pr')) ? Number(text('pr').replace('#', '')) : undefined;
  const order: Order = {
    op,
    repo: optional('repo') ?? address?.repo,
    number:
      typeof input['number'] === 'number'
        ? input['number']
        : (fromPull ?? (address?.kind === 'pull' ? address.id : undefined)),
    pulls: list('pr'),
    query: text('query'),
    state: STATES.find((state) => state === input['state']) ?? 'open',
    author: optional('author')?.replace(/^@/, ''),
    label: list('label')[0],
    labels: list('label'),
    assignees: list('assignee').map((name) => name.replace(/^@/, '')),
    reviewers: list('reviewer').map((name) => name.replace(/^@/, '')),
    limit: bounded('limit', 10, MAX_LIMIT),
    branch: optional('branch'),
    path: optional('path'),
    title: text('title'),
    body: typeof input['body'] === 'string' ? input['body'] : '',
    base: optional('base'),
    head: optional('head'),
    draft: input['draft'] === true,
    fill: input['fill'] === true,
    event: EVENTS.find((event) => event === input['event']) ?? 'comment',
    thread: text('thread'),
    run: runOf(text('run')),
    tail: bounded('tail', 15, MAX_TAIL),
    force: input['force'] === true,
    forceWithLease: input['forceWithLease'] === true,
  };
  check(order);
  return order;
}

const NUMBERED = new Set<Op>([
  'issue_view',
  'issue_comment',
  'pr_view',
  'pr_diff',
  'pr_threads',
  'pr_checks',
  'pr_comment',
  'pr_review',
  'pr_reply',
  'pr_resolve',
]);

function check({ op, number, query, title, body, fill, thread, event, pulls }: Order): void {
  if (NUMBERED.has(op) && (number === undefined || number < 1))
    throw wrong(`\`${op}\` needs \`number\``, 'Give the number; `issue_list` and `pr_list` show them.');
  if (op.startsWith('search_') && query === '') throw wrong(`\`${op}\` needs \`query\``, 'Say what to look for.');
  if (op === 'issue_create' && title === '') throw wrong('`issue_create` needs `title`', 'Give one.');
  if (op === 'pr_create' && fill && (title !== '' || body !== ''))
    throw wrong('`fill` takes title and body from the commits', 'Leave `title` and `body` out, or `fill`.');
  if (op === 'pr_create' && !fill && title === '') throw wrong('`pr_create` needs `title`', 'Give one, or set `fill`.');
  if ((op === 'issue_comment' || op === 'pr_comment' || op === 'pr_reply') && body.trim() === '')
    throw wrong(`\`${op}\` needs \`body\``, 'Write the text.');
  if (op === 'pr_review' && event !== 'approve' && body.trim() === '')
    throw wrong('A review that does not approve needs `body`', 'Write what is to be said.');
  if ((op === 'pr_reply' || op === 'pr_resolve') && thread === '')
    throw wrong(`\`${op}\` needs \`thread\``, '`pr_threads` shows the ids.');
  if (body.length > MAX_BODY) throw wrong(`The text is longer than ${MAX_BODY} characters`, 'Shorten it.');
  if (pulls.length > MAX_PULLS) throw wrong(`More than ${MAX_PULLS} pull requests at once`, 'Ask for fewer.');
}

function wrong(reason: string, todo: string): Error {
  return errors.create('GITHUB_INPUT', { reason, todo });
}

function runOf(given: string): string | undefined {
  if (given === '') return undefined;
  const id = /^\d+$/.test(given) ? given : /\/actions\/runs\/(\d+)/.exec(given)?.[1];
  if (id === undefined)
    throw wrong(`"${given.slice(0, 100)}" is not a workflow run`, 'Give the id of a run or its URL.');
  return id;
}

/** The repository and number in an address of the website. */
export function addressIn(
  text: string,
): { readonly repo: string; readonly kind: 'issue' | 'pull' | 'run'; readonly id: number } | undefined {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return undefined;
  const { host, pathname, protocol } = new URL(text);
  const found = /^\/(.+?)\/(?:-\/)?(issues|pulls?|merge_requests|actions\/runs)\/(\d+)/.exec(pathname);
  if (!found) return undefined;
  const [, repo = '', what = '', id = ''] = found;
  const kind = what === 'issues' ? 'issue' : what === 'actions/runs' ? 'run' : 'pull';
  return { repo: `${protocol}//${host}/${repo}`, kind, id: Number(id) };
}
