import type { AgentEvent, AgentSession, LiveAgents } from '@tenon/agent/api';
import { cutStart } from './cut-start.ts';
import type { JobSnapshot } from './api.ts';
import { prompts } from './prompts/index.ts';

/** What a message shows of a long result; the job tool gives the rest. */
const MAX_RESULT_CHARS = 8_000;

/** What the delivery needs. */
export interface DeliveryHost {
  agents(): Promise<Pick<LiveAgents, 'get'> | undefined>;
  /** False when the agent has learned of the job's end in another way. */
  isUntold(job: JobSnapshot): boolean;
  told(session: string, ids: readonly string[]): void;
  failed(fault: unknown): void;
}

interface Waiting {
  readonly jobs: JobSnapshot[];
  readonly unsubscribe: () => void;
}

/**
 * Tells agents which of their jobs have ended. An idle agent is told at once and answers. A busy one is told at the end
 * of its turn: until then it may ask for the job itself, and what it knows is not told again.
 */
export class Delivery {
  readonly #host: DeliveryHost;
  readonly #waiting = new Map<AgentSession, Waiting>();

  constructor(host: DeliveryHost) {
    this.#host = host;
  }

  async announce(job: JobSnapshot): Promise<void> {
    const agent = (await this.#host.agents())?.get(job.session);
    if (!agent || !this.#host.isUntold(job)) return;
    const waiting = this.#waiting.get(agent);
    if (waiting) waiting.jobs.push(job);
    else if (!agent.state.isStreaming) await this.#send(agent, [job], { triggerTurn: true });
    else this.#hold(agent, job);
  }

  close(): void {
    for (const { unsubscribe } of this.#waiting.values()) unsubscribe();
    this.#waiting.clear();
  }

  #hold(agent: AgentSession, job: JobSnapshot): void {
    let wasStopped = false;
    const unsubscribe = agent.subscribe((event: AgentEvent) => {
      if (event.type === 'turn_end') {
        wasStopped = event.message.stopReason === 'aborted';
        // The tools of the turn are through, so steering cuts into nothing.
        if (!wasStopped) this.#release(agent, { deliverAs: 'steer' });
      } else if (event.type === 'agent_end') {
        // Who stops an agent does not want it to begin again by itself.
        this.#release(agent, wasStopped ? { deliverAs: 'nextTurn' } : { triggerTurn: true });
      }
    });
    this.#waiting.set(agent, { jobs: [job], unsubscribe });
  }

  #release(agent: AgentSession, options: Parameters<AgentSession['send']>[1]): void {
    const waiting = this.#waiting.get(agent);
    if (!waiting) return;
    waiting.unsubscribe();
    this.#waiting.delete(agent);
    const news = waiting.jobs.filter((job) => job.session === agent.session.id && this.#host.isUntold(job));
    if (news.length > 0) this.#send(agent, news, options).catch((fault: unknown) => this.#host.failed(fault));
  }

  async #send(
    agent: AgentSession,
    jobs: readonly JobSnapshot[],
    options: Parameters<AgentSession['send']>[1],
  ): Promise<void> {
    this.#host.told(
      agent.session.id,
      jobs.map(({ id }) => id),
    );
    const content = prompts.finished({ jobs: jobs.map(shown) });
    const details = {
      jobs: jobs.map(({ id, type, label, status, durationMs }) => ({ id, type, label, status, durationMs })),
    };
    await agent.send(
      {
        role: 'custom',
        customType: 'job',
        content,
        display: true,
        attribution: 'agent',
        details,
        timestamp: Date.now(),
      },
      options,
    );
  }
}

function shown(job: JobSnapshot) {
  const text = job.errorText ?? job.resultText ?? '';
  const end = cutStart(text, MAX_RESULT_CHARS);
  const verb = job.status === 'completed' ? 'ended' : 'failed';
  return { id: job.id, label: job.label, verb, text: end, isCut: end !== text };
}
