/** All OpenCode modules of this process by folder, and the way from Tenon's hooks to theirs. */
import { realpathSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { AgentEvent, RunStart, UserInput } from '@tenon/agent/api';
import { type GateAnswer, messageOf, type TenonError } from '@tenon/kernel';
import type {
  PermissionAnswer,
  PermissionQuestion,
  ToolCallEvent,
  ToolRequest,
  ToolResult,
  ToolResultEvent,
} from '@tenon/tools/api';
import { type ForeignEvent, foreignEvents } from './events.ts';
import { ModuleSet } from './module-set.ts';
import type { Services } from './services.ts';
import { foreignArguments, foreignName, ownArguments } from './tool-names.ts';
import { ToolTable } from './tool-table.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What plugins say about a call: the input as they want it, or why it must not run. */
interface Verdict {
  readonly input: ToolCallEvent['input'];
  readonly deny?: string;
}

/** All modules. */
export class ModuleManager {
  readonly #services: Services;
  readonly #tools: ToolTable;
  readonly #sets = new Map<string, ModuleSet>();
  readonly #sessions = new Map<string, ModuleSet>();
  /** What plugins said about calls that the gate has not been asked about yet. */
  readonly #verdicts = new Map<string, Verdict>();
  /** Events are told in their order, without anybody waiting. */
  #line: Promise<unknown> = Promise.resolve();

  constructor(services: Services) {
    this.#services = services;
    this.#tools = new ToolTable(services);
  }

  /** The modules of a folder, loaded. */
  async open(cwd: string, mayAsk = true): Promise<ModuleSet> {
    const folder = realOf(cwd);
    const set = this.#sets.get(folder) ?? new ModuleSet(this.#services, cwd, this.#tools);
    this.#sets.set(folder, set);
    await set.load(mayAsk);
    return set;
  }

  async sessionStart({ session, cwd }: { readonly session: string; readonly cwd: string }): Promise<void> {
    const set = await this.open(cwd);
    this.#sessions.set(session, set);
    await set.equip((await this.#services.agents()).get(session));
    const info = { id: session, directory: cwd, title: '' };
    this.tell(session, { type: 'session.created', properties: { sessionID: session, info } });
  }

  /** Puts the tools of a folder's modules into the slot; gives why others are not there. */
  async offerTools({ cwd, names }: ToolRequest): Promise<readonly TenonError[]> {
    const { untrusted } = await this.open(cwd, false);
    if (!names) for (const problem of untrusted) this.#services.report(problem, 'warning');
    return untrusted;
  }

  agentEvent({ session, event }: { readonly session: string; readonly event: AgentEvent }): void {
    if (this.#sessions.get(session)?.hearing('event').length) {
      for (const foreign of foreignEvents(session, event)) this.tell(session, foreign);
    }
  }

  /** Tells an event to those who listen, after those before it. */
  tell(session: string, event: ForeignEvent): void {
    for (const { module, host } of this.#sessions.get(session)?.hearing('event') ?? [])
      this.#line = this.#line.then(() => host.callOrReport(module, 'event', { event }, {}));
  }

  /** `chat.message`: plugins may change the text of a prompt. */
  async input(given: UserInput): Promise<UserInput | undefined> {
    const sessionID = given.session ?? '';
    const set = this.#sessions.get(sessionID);
    if (!set || given.blocked !== undefined || given.handled !== undefined) return undefined;
    let { text } = given;
    for (const { module, host } of set.hearing('chat.message')) {
      const output = {
        message: { role: 'user', sessionID, time: { created: Date.now() } },
        parts: [{ type: 'text', sessionID, text }],
      };
      const left = await host.callOrReport(module, 'chat.message', { sessionID }, output);
      const { parts } = (left ?? output) as { readonly parts?: unknown };
      const texts = (Array.isArray(parts) ? (parts as Fields[]) : []).filter(({ type }) => type === 'text');
      if (texts.length > 0) text = texts.map((part) => String(part['text'] ?? '')).join('\n\n');
    }
    return text === given.text ? undefined : { ...given, text };
  }

  /** `experimental.chat.system.transform`: plugins may add to the system prompt. */
  async beforeStart(given: RunStart): Promise<RunStart | undefined> {
    const set = this.#sessions.get(given.session ?? '');
    let { systemPrompt } = given;
    for (const { module, host } of set?.hearing('experimental.chat.system.transform') ?? []) {
      const input = { sessionID: given.session };
      const output = { system: [systemPrompt] };
      const left = await host.callOrReport(module, 'experimental.chat.system.transform', input, output);
      const { system } = (left ?? output) as { readonly system?: unknown };
      if (Array.isArray(system)) systemPrompt = system.map(String).join('\n\n');
    }
    return systemPrompt === given.systemPrompt ? undefined : { ...given, systemPrompt };
  }

  /** Plugins may change the input, which is checked and judged by others after that. What they refuse is refused at the gate. */
  async toolInput<T extends ToolCallEvent>(given: T): Promise<T | undefined> {
    const set = this.#setOf(given);
    if (!set) return undefined;
    const verdict = await this.#judge(set, given);
    this.#verdicts.set(keyOf(given), verdict);
    return verdict.deny !== undefined || verdict.input === given.input ? undefined : { ...given, input: verdict.input };
  }

  async toolCall(given: ToolCallEvent): Promise<GateAnswer> {
    const set = this.#setOf(given);
    if (!set) return undefined;
    const verdict = this.#verdicts.get(keyOf(given));
    this.#verdicts.delete(keyOf(given));
    // A hook that came after the plugins may have made another call of it: they must have seen what runs.
    const isSeen = verdict !== undefined && isDeepStrictEqual(verdict.input, given.input);
    const { deny } = isSeen ? verdict : await this.#judgeAgain(set, given);
    return deny === undefined ? undefined : { deny };
  }

  async toolResult(given: ToolResultEvent): Promise<ToolResultEvent | undefined> {
    const { tool, callId: callID, scope, input } = given;
    const set = this.#sessions.get(scope?.session ?? '');
    if (!set || !scope) return undefined;
    let { result } = given;
    for (const { module, host } of set.hearing('tool.execute.after')) {
      const before = textOf(result);
      const about = { tool: foreignName(tool), sessionID: scope.session, callID, args: input };
      const output = { title: tool, output: before, metadata: result.details ?? {} };
      const left = (await host.callOrReport(module, 'tool.execute.after', about, output)) as Fields | undefined;
      const after = left?.['output'];
      if (typeof after !== 'string' || after === before) continue;
      const images = result.content.filter(({ type }) => type === 'image');
      result = { ...result, content: [{ type: 'text', text: after }, ...images] };
    }
    const isChange = given.result.isError !== true && ['write', 'edit'].includes(tool);
    for (const file of isChange ? (given.touches.writes ?? []) : [])
      this.tell(scope.session, { type: 'file.edited', properties: { file } });
    return result === given.result ? undefined : { ...given, result };
  }

  /** `permission.ask`: a plugin may say no. Its yes is not taken: foreign code does not approve what a person would be asked about. */
  async permission(given: PermissionQuestion): Promise<PermissionAnswer | undefined> {
    const { tool, callId: callID, scope, question, text } = given;
    for (const { module, host } of this.#sessions.get(scope?.session ?? '')?.hearing('permission.ask') ?? []) {
      const about = { id: callID, callID, sessionID: scope?.session, type: foreignName(tool), title: question };
      const asked = { ...about, pattern: text, metadata: given.input };
      const left = await host.callOrReport(module, 'permission.ask', asked, { status: 'ask' });
      if ((left as Fields | undefined)?.['status'] === 'deny')
        return { allow: false, by: 'opencode-compat', reason: `the OpenCode plugin "${module.name}" refuses it` };
    }
    return undefined;
  }

  /** Ends all of them; what waits to be told is told first, within reason. */
  async stop(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, 2_000)));
    await Promise.race([this.#line, late]);
    clearTimeout(timer);
    await Promise.all([...this.#sets.values()].map((set) => set.stop()));
    this.#sets.clear();
    this.#sessions.clear();
  }

  #setOf({ scope }: ToolCallEvent): ModuleSet | undefined {
    const set = this.#sessions.get(scope?.session ?? '');
    return set && set.hearing('tool.execute.before').length > 0 ? set : undefined;
  }

  /** One plugin after the other, for every file of the call. A fault and a deadline refuse, as a thrown error does in OpenCode. */
  async #judge(set: ModuleSet, given: ToolCallEvent): Promise<Verdict> {
    const { tool, callId: callID, scope } = given;
    let { input } = given;
    for (const { module, host } of set.hearing('tool.execute.before')) {
      try {
        for (const args of foreignArguments({ ...given, input })) {
          const about = { tool: foreignName(tool), sessionID: scope?.session, callID };
          const left = (await host.call(module, 'tool.execute.before', about, { args })) as
            | { args?: Fields }
            | undefined;
          if (left?.args) input = ownArguments(tool, input, args, left.args);
        }
      } catch (fault) {
        return { input, deny: messageOf(fault) };
      }
    }
    return { input };
  }

  /** The input is settled now: a plugin that would change it again refuses it. */
  async #judgeAgain(set: ModuleSet, given: ToolCallEvent): Promise<Verdict> {
    const verdict = await this.#judge(set, given);
    const isSame = verdict.deny !== undefined || isDeepStrictEqual(verdict.input, given.input);
    return isSame ? verdict : { ...verdict, deny: 'a plugin of OpenCode wants another input than others made of it' };
  }
}

function keyOf({ scope, callId }: ToolCallEvent): string {
  return `${scope?.session ?? ''} ${callId}`;
}

function textOf({ content }: ToolResult): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // A folder that is gone is still a name.
  }
}
