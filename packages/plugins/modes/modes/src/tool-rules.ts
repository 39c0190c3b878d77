/** Which calls the flags allow and refuse: `--allowed-tools`, `--disallowed-tools` and `--add-dir`, in the way of writing that Claude Code has. */
import { statSync } from 'node:fs';
import type { AgentSession } from '@tenon/agent/api';
import { type Approvals, rulesOfTools } from '@tenon/approval/api';
import type { CommandCall } from '@tenon/command-line/api';
import { didYouMean } from '@tenon/wording';
import { errors } from './errors.ts';
import { pathOf } from './mentions.ts';

/** What the flags say about calls. */
export interface ToolRules {
  readonly allowed: readonly string[];
  /** Calls that are refused: a tool with a limit. */
  readonly denied: readonly string[];
  /** Tools that are not offered at all. */
  readonly left: readonly string[];
}

/** Tools whose limit in parentheses is something else than a path or a command. */
const WITHOUT_LIMIT: ReadonlySet<string> = new Set(['fetch', 'web_search']);

/** Reads the flags. A rule that would do nothing is an error: somebody counts on it. */
export function toolRules(flags: CommandCall['flags'], cwd: string, known: readonly string[]): ToolRules {
  const allowed = rulesIn(flags['allowed-tools'], 'allowed-tools', known);
  const refused = rulesIn(flags['disallowed-tools'], 'disallowed-tools', known);
  const folders = (Array.isArray(flags['add-dir']) ? flags['add-dir'] : []).map((folder) => folderAt(folder, cwd));
  return {
    allowed: [...allowed.map(({ rule }) => rule), ...folders.flatMap((at) => [`write(${at}/**)`, `edit(${at}/**)`])],
    denied: refused.flatMap(({ rule, isLimited }) => (isLimited ? [rule] : [])),
    left: refused.flatMap(({ tool, isLimited }) => (isLimited ? [] : [tool])),
  };
}

/** Makes the rules count for an agent, also when it goes on in another session. */
export async function applyRules(agent: AgentSession, rules: ToolRules, gate: Approvals | undefined): Promise<void> {
  if (rules.left.length > 0) {
    const names = agent.state.tools.map(({ name }) => name);
    await agent.setTools(names.filter((name) => !rules.left.includes(name)));
  }
  if (!gate || rules.allowed.length + rules.denied.length === 0) return;
  const hold = (session: string) => {
    gate.preApprove(session, rules.allowed);
    gate.preDeny(session, rules.denied);
  };
  hold(agent.session.id);
  agent.subscribe((event) => void (event.type === 'session_switch' && hold(event.sessionId)));
}

function rulesIn(given: CommandCall['flags'][string], flag: string, known: readonly string[]) {
  const texts = Array.isArray(given) ? given : typeof given === 'string' ? [given] : [];
  return texts.flatMap(splitRules).map((rule) => {
    const fail = (reason: string) => errors.create('MODES_TOOL_RULE', { flag, rule, reason });
    const [data] = rulesOfTools([rule]);
    const tool = String(data?.tool ?? '');
    if (!data) throw fail('it is not written like Tool, Tool(path) or Bash(command:*)');
    if (!tool.startsWith('mcp__') && !known.includes(tool))
      throw fail(`there is no tool "${tool}".${didYouMean(tool, known)}`);
    const isLimited = /\((?!\s*\*?\s*\)).*\)$/s.test(rule);
    if (isLimited && (WITHOUT_LIMIT.has(tool) || tool.startsWith('mcp__')))
      throw fail(
        `a limit in parentheses is a command or a path, and the tool "${tool}" has neither; hosts are limited in the settings`,
      );
    return { rule, tool, isLimited };
  });
}

/** Rules are separated by commas or blanks, but not those within parentheses. */
export function splitRules(text: string): string[] {
  return text.match(/[^\s,()]+(?:\([^)]*\))?|[^\s,]/g) ?? [];
}

function folderAt(folder: string, cwd: string): string {
  const path = pathOf(folder, cwd);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw errors.create('MODES_FOLDER_MISSING', { folder });
  return path;
}
