/** What happens when a stream rule matches: the answer is cut off, or the rule is told when it is complete. */
import type { RulesSettings } from '../generated/settings.ts';
import type { AgentSession, FilterCall, LiveAgents } from '@tenon/agent/api';
import type { AssistantMessage, StreamEvent } from '@tenon/models/api';
import type { CustomMessage } from '@tenon/sessions/api';
import { prompts, type ShownRule } from '../prompts/index.ts';
import type { Tool } from '@tenon/tools/api';
import { AnswerWatch, type FoundMatch } from './answer-watch.ts';
import { PartialTouches } from './partial-touches.ts';
import { RuleMemory } from './rule-memory.ts';
import type { StreamRule } from './stream-rule.ts';

/** How stream rules work. */
export type StreamConfig = RulesSettings['stream'];

/** What stream rules need from the plugin. */
export interface StreamHost {
  readonly config: StreamConfig;
  readonly agents: LiveAgents;
  /** The rules of the session's folder. */
  rulesFor(agent: AgentSession): Promise<readonly StreamRule[]>;
  tooSlow(rule: StreamRule): void;
  /** The tool that a call is about; undefined when there is none. */
  tool(name: string): Pick<Tool, 'touches'> | undefined;
}

/** The `customType` of what a rule says. */
const INJECTION = 'ttsr-injection';
const MAX_CONTENT = 16 * 1024;

/** Watches the answers of all sessions. */
export class StreamRules {
  readonly memory: RuleMemory;
  readonly #host: StreamHost;
  /** Rules that matched without cutting in and have not been told yet, by session. */
  readonly #late = new Map<string, StreamRule[]>();

  constructor(host: StreamHost) {
    this.#host = host;
    this.memory = new RuleMemory(host.config);
  }

  /** Passes an answer on, up to where a rule cuts in. */
  async *filter(stream: AsyncIterable<StreamEvent>, call: FilterCall): AsyncGenerator<StreamEvent> {
    const agent = this.#host.agents.get(call.session);
    const all = agent && this.#host.config.enabled ? await this.#host.rulesFor(agent) : [];
    if (!agent || all.length === 0) return yield* stream;
    const rules = all.filter(({ name }) => this.memory.mayTell(agent.session, name));
    const touched = new PartialTouches((name) => this.#host.tool(name), { session: call.session, cwd: agent.cwd });
    const watch = new AnswerWatch({
      rules,
      cwd: agent.cwd,
      touches: (tool, input) => touched.of(tool, input),
      tooSlow: (rule) => this.#host.tooSlow(rule),
    });
    let late: StreamRule[] = [];
    for await (const event of stream) {
      if (event.type === 'start') late = [];
      if (event.type === 'toolcall_start') await touched.prepare(event.partial.content[event.contentIndex]);
      for (const match of watch.see(event)) {
        const { cutting, waiting } = this.#sorted(match);
        late.push(...waiting);
        if (cutting.length > 0) return yield this.#cut(agent, call, [...late, ...cutting], answerOf(event));
      }
      if (event.type === 'done') {
        this.memory.answered(agent.session);
        if (late.length > 0) await this.#tellLate(agent, late, event.reason === 'toolUse');
      }
      yield event;
    }
  }

  /** What the session still has to be told, as a message; called when a run begins. */
  takeLate(agent: AgentSession): CustomMessage | undefined {
    const rules = this.#take(agent);
    return rules && messageOf(prompts.streamLate(rules.map(shown)), rules);
  }

  /** The same for the result of a tool. */
  takeLateText(agent: AgentSession): string | undefined {
    const rules = this.#take(agent);
    return rules && prompts.streamLate(rules.map(shown));
  }

  /** The session is on another branch, or gone. */
  forget(session: string): void {
    this.memory.forget(session);
    this.#late.delete(session);
  }

  #sorted({ rules, source }: FoundMatch): { cutting: StreamRule[]; waiting: StreamRule[] } {
    const cutsIn = ({ interruptMode = this.#host.config.interruptMode }: StreamRule) =>
      interruptMode === 'always' || interruptMode === (source === 'tool' ? 'tool-only' : 'prose-only');
    return { cutting: rules.filter(cutsIn), waiting: rules.filter((rule) => !cutsIn(rule)) };
  }

  #cut(agent: AgentSession, call: FilterCall, rules: readonly StreamRule[], answer: AssistantMessage): StreamEvent {
    const names = rules.map(({ name }) => name);
    const keepAnswer = this.#host.config.contextMode === 'keep';
    this.memory.note(agent.session, names);
    call.cutOff({
      keepAnswer,
      messages: [messageOf(prompts.streamCut(rules.map(shown), keepAnswer), rules)],
      written: async () => {
        await agent.session.append('ttsr_injection', { injectedRules: names });
        agent.emit({ type: 'ttsr_triggered', rules: names });
      },
    });
    const errorMessage = `Cut off by ${names.length > 1 ? 'the rules' : 'the rule'} ${names.join(', ')}.`;
    return { type: 'error', reason: 'aborted', error: { ...answer, stopReason: 'aborted', errorMessage } };
  }

  /** After an answer with calls the rules come with a result; otherwise they are what the agent goes on with. */
  async #tellLate(agent: AgentSession, rules: readonly StreamRule[], hasCalls: boolean): Promise<void> {
    this.memory.note(
      agent.session,
      rules.map(({ name }) => name),
    );
    this.#late.set(agent.session.id, [...(this.#late.get(agent.session.id) ?? []), ...rules]);
    if (hasCalls) return;
    const message = this.takeLate(agent);
    if (message) await agent.send(message, { deliverAs: 'followUp' });
  }

  #take(agent: AgentSession): readonly StreamRule[] | undefined {
    const { session } = agent;
    const rules = this.#late.get(session.id);
    if (!rules) return undefined;
    this.#late.delete(session.id);
    const names = rules.map(({ name }) => name);
    // The place of the entry is fixed at the call; that it could not be written is told to the next who writes.
    void session.append('ttsr_injection', { injectedRules: names }).catch(() => undefined);
    agent.emit({ type: 'ttsr_triggered', rules: names });
    return rules;
  }
}

function answerOf(event: StreamEvent): AssistantMessage {
  if (event.type === 'done') return event.message;
  return event.type === 'error' ? event.error : event.partial;
}

function shown({ name, content }: StreamRule): ShownRule {
  return { name, content: content.length > MAX_CONTENT ? `${content.slice(0, MAX_CONTENT)}…` : content };
}

function messageOf(content: string, rules: readonly StreamRule[]): CustomMessage {
  const details = { rules: rules.map(({ name, path }) => ({ name, path })) };
  return {
    role: 'custom',
    customType: INJECTION,
    content,
    display: false,
    details,
    attribution: 'agent',
    timestamp: Date.now(),
  };
}
