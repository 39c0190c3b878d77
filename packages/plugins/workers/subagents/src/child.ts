/** Runs a subagent in this process: an agent on a session of its own, until it has handed over its result. */
import type { AgentEvent, AgentFactory, AgentSession } from '@tenon/agent/api';
import type { Approvals } from '@tenon/approval/api';
import type { HookEvents, SubagentFacts } from '@tenon/external-hooks/api';
import { messageOf } from '@tenon/kernel';
import { type AssistantMessage, NO_USAGE } from '@tenon/models/api';
import type { CustomMessage, Session, SessionStore } from '@tenon/sessions/api';
import type { Tool, ToolResult } from '@tenon/tools/api';
import type { Family, Member } from './family.ts';
import { prompts } from './prompts/index.ts';
import type { SubagentResult, SubagentRun, Yielded } from './run-types.ts';
import { createYieldTool, YIELD } from './yield-tool.ts';

/** How often a subagent that stops without a result is asked for one. */
const MAX_REMINDERS = 3;
/** How often hooks may make a subagent go on that wants to end. */
const MAX_CONTINUES = 3;
/** How often a result may be refused because it does not fit, before nobody waits for a better one. */
const MAX_REFUSALS = 5;

/** What running a subagent in this process needs. */
export interface ChildHost {
  readonly factory: Pick<AgentFactory, 'create'>;
  readonly store: Pick<SessionStore, 'create' | 'inMemory'>;
  readonly family: Family;
  readonly approvals: Pick<Approvals, 'adopt'> | undefined;
  /** The user's hooks for the beginning and the end of subagents. */
  readonly hooks: Pick<HookEvents, 'tell'> | undefined;
}

/** A subagent and its place among the others. */
export interface ChildRun extends SubagentRun {
  readonly label: string;
  readonly member: Member;
  /** The file of the parent's session, or its id. */
  readonly parentSession: string;
  /** The parent's call that started it. */
  readonly parentCall?: string;
  /** True when it works in the parent's folder itself. */
  readonly sharesFolder: boolean;
}

/** Runs it to its end. */
export async function runChild(host: ChildHost, run: ChildRun): Promise<SubagentResult> {
  let child: Child | undefined;
  try {
    child = await Child.open(host, run);
    return await child.work(host.hooks);
  } catch (fault) {
    return { ...(child?.result() ?? NOTHING), error: messageOf(fault), ...(run.signal.aborted && { isStopped: true }) };
  } finally {
    await child?.close();
  }
}

const NOTHING: SubagentResult = { answer: '', usage: NO_USAGE, toolCount: 0 };

class Child {
  readonly #agent: AgentSession;
  readonly #run: ChildRun;
  readonly #leave: readonly (() => void)[];
  #yielded: Yielded | undefined;
  #answer = '';
  #failure: string | undefined;
  #refusals = 0;
  #toolCount = 0;
  #doing: { readonly tool: string; readonly doing: string } | undefined;

  private constructor(agent: AgentSession, run: ChildRun, leave: readonly (() => void)[]) {
    this.#agent = agent;
    this.#run = run;
    const stop = () => void agent.abort();
    run.signal.addEventListener('abort', stop, { once: true });
    this.#leave = [
      ...leave,
      agent.subscribe((event) => this.#see(event)),
      () => run.signal.removeEventListener('abort', stop),
    ];
    agent.setHostTools({ [YIELD]: this.#yieldTool() });
  }

  static async open(host: ChildHost, run: ChildRun): Promise<Child> {
    const { cwd, model, thinking, tools, systemPrompt, label, parent, parentCall: call, sharesFolder } = run;
    run.signal.throwIfAborted();
    const session = await newSession(host.store, run);
    // Known before the agent is: what hears of the session's start may ask.
    const leave = [
      host.family.add(session.id, run.member),
      host.approvals?.adopt(session.id, { parent, label, sharesFolder }) ?? (() => undefined),
    ];
    try {
      const { agent } = await host.factory.create({
        session,
        cwd,
        model: `${model.provider}/${model.id}`,
        thinking,
        tools,
        systemPrompt,
        parent: { session: parent, label, ...(call !== undefined && { call }) },
      });
      return new Child(agent, run, leave);
    } catch (fault) {
      for (const forget of leave) forget();
      throw fault;
    }
  }

  #yieldTool(): Tool {
    return createYieldTool(this.#run.schema, (yielded) => (this.#yielded = yielded));
  }

  async work(hooks: ChildHost['hooks']): Promise<SubagentResult> {
    await this.#untilYield(this.#run.prompt + (await this.#begun(hooks)));
    for (let continues = 0; continues < MAX_CONTINUES && this.#yielded && 'data' in this.#yielded; continues++) {
      const more = await this.#ending(hooks, continues, this.#yielded.data);
      if (more === undefined) break;
      this.#yielded = undefined;
      this.#agent.setHostTools({ [YIELD]: this.#yieldTool() });
      await this.#untilYield(more);
    }
    return this.result();
  }

  async #untilYield(prompt: string): Promise<void> {
    const { schema, signal, model } = this.#run;
    await this.#say(prompt);
    // Rules call no tool that they were not written for.
    if (model.isRules) return;
    for (let number = 1; number <= MAX_REMINDERS && this.#isUnfinished(signal); number++) {
      await this.#say(prompts.reminder({ number, limit: MAX_REMINDERS, hasSchema: schema !== undefined }));
    }
  }

  /** What hooks add to the task; a refusal is a failure of it. */
  async #begun(hooks: ChildHost['hooks']): Promise<string> {
    const outcome = await hooks?.tell({ moment: 'subagent-start', ...this.#facts }, this.#site, this.#run.signal);
    if (outcome?.decision === 'deny') throw new Error(outcome.reason ?? 'A hook does not want this subagent to start.');
    return (outcome?.contexts ?? []).map((text) => `\n\n${text}`).join('');
  }

  /** What a hook wants to be done before the subagent may end. */
  async #ending(hooks: ChildHost['hooks'], continues: number, data: unknown): Promise<string | undefined> {
    const { file } = this.#agent.session;
    const outcome = await hooks?.tell(
      {
        moment: 'subagent-stop',
        ...this.#facts,
        text: typeof data === 'string' ? data : JSON.stringify(data),
        continues,
        ...(file !== undefined && { transcript: file }),
      },
      this.#site,
      this.#run.signal,
    );
    return outcome?.decision === 'deny' ? (outcome.reason ?? 'A hook wants you to go on.') : undefined;
  }

  get #facts(): SubagentFacts {
    return { agentId: this.#run.id, agentType: this.#run.agent, task: this.#run.prompt };
  }

  /** The hooks are those of the session that the user talks to. */
  get #site(): { readonly session: string; readonly cwd: string } {
    return { session: this.#run.parent, cwd: this.#run.cwd };
  }

  #isUnfinished(signal: AbortSignal): boolean {
    return this.#yielded === undefined && this.#failure === undefined && !signal.aborted;
  }

  /** Says something and waits for the end of the run. It is no prompt of a person: commands and mentions in it are only text. */
  async #say(content: string): Promise<void> {
    const message: CustomMessage = {
      role: 'custom',
      customType: 'subagent-task',
      content,
      display: true,
      attribution: 'agent',
      timestamp: Date.now(),
    };
    this.#run.signal.throwIfAborted();
    await this.#agent.send(message, { triggerTurn: true });
    await this.#agent.idle();
  }

  result(): SubagentResult {
    const isStopped = this.#run.signal.aborted && this.#yielded === undefined;
    return {
      answer: this.#answer,
      usage: this.#agent.usage(),
      toolCount: this.#toolCount,
      ...(this.#yielded && { yielded: this.#yielded }),
      ...(this.#failure !== undefined && { error: this.#failure }),
      ...(isStopped && { isStopped }),
    };
  }

  #see(event: AgentEvent): void {
    switch (event.type) {
      case 'tool_execution_start':
        if (event.toolName === YIELD) return;
        this.#toolCount++;
        this.#doing = { tool: event.toolName, doing: inOneLine(event.args) };
        return this.#tell();
      case 'tool_execution_end':
        this.#doing = undefined;
        if (event.toolName === YIELD && event.isError) this.#refused(event.result);
        return this.#tell();
      case 'message_end':
        if (event.message.role !== 'assistant') return;
        this.#answer = textOf(event.message) || this.#answer;
        return this.#tell();
      case 'turn_end':
        // Everything of the turn is written down; what the model would say next nobody reads.
        if (this.#yielded || this.#refusals >= MAX_REFUSALS) void this.#agent.abort();
        return;
      case 'agent_end':
        if (event.error !== undefined && !this.#yielded) this.#failure ??= event.error;
        return;
      default:
        return;
    }
  }

  #refused({ content }: ToolResult): void {
    this.#refusals++;
    if (this.#refusals < MAX_REFUSALS) return;
    const why = content.map((part) => (part.type === 'text' ? part.text : '')).join(' ');
    this.#failure = `It handed over ${MAX_REFUSALS} results, and none could be taken. The last time: ${why}`;
  }

  #tell(): void {
    this.#run.progress({ ...this.#doing, toolCount: this.#toolCount, usage: this.#agent.usage() });
  }

  async close(): Promise<void> {
    try {
      await this.#agent.dispose();
    } finally {
      for (const forget of this.#leave) forget();
    }
  }
}

function newSession(store: ChildHost['store'], run: ChildRun): Promise<Session> | Session {
  const { cwd, parentSession, sessionFile } = run;
  return sessionFile === undefined
    ? store.inMemory({ cwd, parentSession })
    : store.create({ cwd, parentSession, file: sessionFile });
}

function textOf({ content }: AssistantMessage): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** The first text in a call's input: its path, pattern or command. */
function inOneLine(args: unknown): string {
  const texts = typeof args === 'object' && args !== null ? Object.values(args) : [];
  const first = texts.find((value) => typeof value === 'string');
  return typeof first === 'string' ? first.slice(0, 200) : '';
}
