/** Finds contradictions in what an adapter says about its CLI: between its claims, and between claims and what it does. */
import { messageOf } from '@tenon/kernel';
import type { WorkerAdapter, WorkerCommand, WorkerTask } from '../api.ts';
import type { OptionsSchema } from '../command/options.ts';

/** One contradiction. */
export interface CapabilityIssue {
  readonly rule: string;
  readonly message: string;
}

/** All of them; none for an adapter that can be relied on. */
export function capabilityIssues(adapter: WorkerAdapter): readonly CapabilityIssue[] {
  return [...claimIssues(adapter), ...toolIssues(adapter), ...optionIssues(adapter), ...commandIssues(adapter)];
}

const issue = (rule: string, message: string): CapabilityIssue => ({ rule, message });
const only = (isWrong: boolean, rule: string, message: string): readonly CapabilityIssue[] =>
  isWrong ? [issue(rule, message)] : [];

function claimIssues({ spec, ...adapter }: WorkerAdapter): readonly CapabilityIssue[] {
  const { resume, interactive, presetSession, usage, cost, yolo } = spec.capabilities;
  return [
    ...only(
      interactive && resume === 'none',
      'interactive-without-resume',
      'Its screen is opened on a session, but it has none to go on with.',
    ),
    ...only(
      interactive !== (adapter.interactive !== undefined),
      'interactive-missing',
      'It says another thing about its screen than its code does.',
    ),
    ...only(
      presetSession && resume !== 'id',
      'preset-without-resume',
      'A session can be named beforehand, but not gone on with by name.',
    ),
    ...only(
      usage === 'session-sum' && resume === 'none',
      'sum-without-session',
      'It reports sums of a session, but has no sessions.',
    ),
    ...only(
      usage === 'file' && adapter.findUsage === undefined,
      'usage-file-unread',
      'Its usage is in files that nobody reads.',
    ),
    ...only(cost && usage === 'none', 'cost-without-usage', 'It knows its cost, but not what it used.'),
    ...only(yolo === 'never', 'yolo-never', 'It always asks, and in a run nobody answers.'),
    ...only(
      spec.probe?.kind === 'http' && (spec.probe.variables ?? spec.keyVariables).length === 0,
      'probe-without-key',
      'Its key is checked, but no variable holds one.',
    ),
    ...only(
      spec.probe?.kind === 'http' && spec.probe.url === undefined,
      'probe-without-url',
      'Its key is checked, but nobody says where.',
    ),
    ...only(spec.vendor.trim() === '', 'no-vendor', 'Nobody says whose accounts it uses.'),
    ...spec.hosts
      .filter((host) => !/^(?:\*\.)?[\w-]+(?:\.[\w-]+)*$/.test(host))
      .map((host) => issue('bad-host', `"${host}" is neither a host nor *. with a domain.`)),
  ];
}

function toolIssues({ spec }: WorkerAdapter): readonly CapabilityIssue[] {
  const names = spec.capabilities.tools.map(({ name }) => name.trim());
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  // Tools of MCP servers are not built in.
  const isKnown = (name: string) =>
    names.length === 0 ||
    /^mcp/i.test(name) ||
    (name.endsWith('*') ? names.some((each) => each.startsWith(name.slice(0, -1))) : names.includes(name));
  const isLasting = (name: string) =>
    spec.sideEffects.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : each === name));
  return [
    ...only(names.includes(''), 'nameless-tool', 'A tool has no name.'),
    ...[...new Set(twice)].map((name) => issue('duplicate-tool', `The tool ${name} is there twice.`)),
    ...spec.sideEffects
      .filter((name) => !isKnown(name))
      .map((name) =>
        issue('unknown-side-effect', `${name} is said to have lasting effects, but there is no such tool.`),
      ),
    ...spec.capabilities.tools
      .filter(({ name, kind }) => kind === 'exec' && !isLasting(name))
      .map(({ name }) =>
        issue('exec-without-side-effect', `The tool ${name} runs programs, but is not said to have lasting effects.`),
      ),
  ];
}

function optionIssues({ spec }: WorkerAdapter): readonly CapabilityIssue[] {
  const { properties = {} } = spec.options as Partial<OptionsSchema>;
  return Object.entries(properties).flatMap(([name, option]) => [
    ...only(!option.description?.trim(), 'option-without-description', `The option ${name} has no description.`),
    ...only(
      option['x-flag']?.startsWith('-') === false,
      'option-without-dash',
      `The flag of the option ${name} does not begin with a dash.`,
    ),
  ]);
}

const SESSION = 'session-0f1e2d3c';
const TASK: WorkerTask = { prompt: 'task-4b5a6978', cwd: '/project', scratch: '/scratch' };

/** Builds command lines and looks whether they hold what the claims promise. */
function commandIssues(adapter: WorkerAdapter): readonly CapabilityIssue[] {
  const { capabilities: can } = adapter.spec;
  const build = (more: Partial<WorkerTask> = {}) => wordsOf(adapter.command({ ...TASK, ...more }));
  const holds = (more: Partial<WorkerTask>, text: string) => build(more).includes(text);
  const promise = (isPromised: boolean, more: Partial<WorkerTask>, text: string, rule: string, what: string) => {
    const isThere = holds(more, text);
    if (isPromised) return only(!isThere, rule, `It promises ${what}, but its command leaves them out.`);
    return only(isThere, rule, `It says that it has no ${what}, but its command has them.`);
  };
  try {
    const mcp = { tools: { command: 'serve-1a2b3c4d', args: [] } };
    return [
      ...promise(true, {}, TASK.prompt, 'prompt-missing', 'tasks'),
      ...promise(can.models, { model: 'model-9f8e7d6c' }, 'model-9f8e7d6c', 'model-ignored', 'models'),
      ...promise(
        can.resume === 'id',
        { session: { id: SESSION, how: 'resume' } },
        SESSION,
        'resume-ignored',
        'sessions to go on with',
      ),
      // Not the other way round: a CLI may have learned it in a newer version.
      ...(can.presetSession
        ? promise(true, { session: { id: SESSION, how: 'preset' } }, SESSION, 'preset-ignored', 'named sessions')
        : []),
      ...promise(can.mcp !== 'none', { mcp }, 'serve-1a2b3c4d', 'mcp-ignored', 'MCP servers'),
      ...promise(
        can.addFolders,
        { folders: ['/exchange-5e6f7a8b'] },
        '/exchange-5e6f7a8b',
        'folders-ignored',
        'more folders',
      ),
      ...promise(true, { systemPrompt: 'rule-c0ffee11' }, 'rule-c0ffee11', 'instructions-ignored', 'instructions'),
      ...promise(
        can.structuredOutput !== 'none',
        { schema: { title: 'schema-d00d1122' } },
        'schema-d00d1122',
        'schema-ignored',
        'structured answers',
      ),
      ...only(
        (can.yolo === 'flag') === (build({ yolo: true }) === build({ yolo: false })),
        'yolo-ignored',
        'What it says about skipping questions is not what its command does.',
      ),
      ...only(
        can.interactive &&
          adapter.interactive !== undefined &&
          !wordsOf(adapter.interactive(SESSION, TASK)).includes(SESSION),
        'interactive-elsewhere',
        'Its screen is not opened on the session.',
      ),
    ];
  } catch (fault) {
    return [issue('command-fails', `Its command cannot be made: ${messageOf(fault)}`)];
  }
}

function wordsOf({ args, env, files = [] }: WorkerCommand): string {
  return JSON.stringify([args, env, files.map(({ text }) => text)]);
}
