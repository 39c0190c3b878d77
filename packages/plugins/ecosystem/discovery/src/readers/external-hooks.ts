import { Fields, present } from '../fields.ts';
import type { ExternalHook } from '../kinds.ts';
import { isRecord, type Origin, type Search } from '../search.ts';

/** How a tool writes down hooks. */
export interface HookOptions {
  readonly dialect: ExternalHook['dialect'];
  /** Claude Code and Codex count seconds, Gemini milliseconds. */
  readonly timeoutUnit: 'seconds' | 'milliseconds';
  /** Why the tool itself would not run any of them. */
  readonly ignored?: string;
  /** Keys beside the events. */
  readonly notEvents?: readonly string[];
}

/** How a tool writes down hooks without groups. */
export interface FlatHookOptions extends HookOptions {
  /** Where a file may have events of another tool, too. */
  readonly dialectOf?: (event: string) => ExternalHook['dialect'];
}

/** Hooks as Claude Code writes them: event -> groups with a matcher -> hooks. Codex and Gemini took that over. */
export function addGroupedHooks(
  search: Search<ExternalHook>,
  place: Origin,
  events: unknown,
  options: HookOptions,
): void {
  if (events === undefined || events === null) return;
  if (!isRecord(events)) return search.wrong(place, '"hooks" must be an object by event');
  for (const [event, groups] of Object.entries(events)) {
    if (options.notEvents?.includes(event)) continue;
    if (!Array.isArray(groups)) {
      search.wrong(place, `the hooks of "${event}" must be a list`);
      continue;
    }
    for (const [at, group] of groups.entries()) addGroup(search, place, event, at, group as unknown, options);
  }
}

function addGroup(
  search: Search<ExternalHook>,
  place: Origin,
  event: string,
  at: number,
  group: unknown,
  options: HookOptions,
): void {
  const where = `${event}[${at}]`;
  if (!isRecord(group)) return search.wrong(place, `${where} must be an object with "hooks"`);
  const { hooks } = group;
  // Some files leave the group out where no matcher is needed.
  const list: unknown = hooks ?? (typeof group['command'] === 'string' ? [group] : undefined);
  if (!Array.isArray(list)) return search.wrong(place, `"hooks" of ${where} must be a list`);
  const matcher = new Fields(group, (what) => search.wrong(place, `${where}: ${what}`)).text('matcher');
  for (const [index, hook] of list.entries())
    addHook(search, place, `${where}.${index}`, event, matcher, hook, options);
}

function addHook(
  search: Search<ExternalHook>,
  place: Origin,
  where: string,
  event: string,
  matcher: string | undefined,
  given: unknown,
  options: HookOptions,
): void {
  if (!isRecord(given)) return search.wrong(place, `${where} must be an object`);
  const fields = new Fields(given, (what) => search.wrong(place, `${where}: ${what}`));
  const type = fields.text('type') ?? 'command';
  if (type !== 'command' && type !== 'prompt' && type !== 'http')
    return search.wrong(
      place,
      `${where}: hooks of type "${type}" are not supported; use "command", "prompt" or "http"`,
    );
  const command = type === 'command' ? fields.text('command', 'bash') : undefined;
  const prompt = type === 'prompt' ? fields.text('prompt') : undefined;
  const url = type === 'http' ? fields.text('url') : undefined;
  if (command === undefined && prompt === undefined && url === undefined)
    return search.wrong(place, `${where} has no "${type === 'http' ? 'url' : type}"`);
  const http =
    url === undefined
      ? {}
      : {
          url,
          headers: fields.textRecord('headers'),
          allowedEnvVars: fields.list('allowedEnvVars'),
        };
  const timeout = fields.number('timeout', 'timeoutSec');
  const timeoutMs = timeout !== undefined && options.timeoutUnit === 'seconds' ? timeout * 1000 : timeout;
  const { variables } = place;
  // With arguments of its own the command is a program, and no shell reads it.
  const args = fields.list('args');
  const program = command !== undefined && args ? { argv: [command, ...args] } : { command };
  const limit = given['loop_limit'] === null ? null : fields.number('loop_limit');
  const more = {
    cwd: fields.text('cwd', 'working_directory'),
    condition: fields.text('if'),
    isAsync: fields.flag('async'),
    failClosed: fields.flag('failClosed'),
  };
  search.add({
    key: `${place.path}#${where}`,
    value: {
      dialect: options.dialect,
      event,
      type,
      path: place.path,
      ...present({
        matcher,
        ...program,
        prompt,
        ...http,
        timeoutMs,
        variables,
        ...more,
        loopLimit: limit,
      }),
    },
    place,
    part: where,
    ...(options.ignored !== undefined && { ignored: options.ignored }),
  });
}

/** Hooks as Cursor writes them: event -> list of commands. Copilot and Windsurf do it likewise. */
function addFlatHooks(
  search: Search<ExternalHook>,
  place: Origin,
  events: unknown,
  { dialectOf, ...options }: FlatHookOptions,
): void {
  if (events === undefined || events === null) return;
  if (!isRecord(events)) return search.wrong(place, '"hooks" must be an object by event');
  for (const [event, list] of Object.entries(events)) {
    if (!Array.isArray(list)) {
      search.wrong(place, `the hooks of "${event}" must be a list`);
      continue;
    }
    for (const [at, hook] of (list as unknown[]).entries()) {
      const matcher = isRecord(hook) && typeof hook['matcher'] === 'string' ? hook['matcher'] : undefined;
      const own = dialectOf ? { ...options, dialect: dialectOf(event) } : options;
      addHook(search, place, `${event}[${at}]`, event, matcher, hook, own);
    }
  }
}

/** A file with `hooks` as Claude Code writes them. */
export async function readGroupedHooks(
  search: Search<ExternalHook>,
  file: Origin,
  options: HookOptions,
): Promise<void> {
  addGroupedHooks(search, file, (await search.record(file, 'json'))?.['hooks'], options);
}

/** A file with `hooks` as Cursor writes them. */
export async function readFlatHooks(
  search: Search<ExternalHook>,
  file: Origin,
  options: FlatHookOptions,
): Promise<void> {
  addFlatHooks(search, file, (await search.record(file, 'json'))?.['hooks'], options);
}
