/** Where the tasks of one call stand, for people and programs that watch. */
import { NO_USAGE, type Usage } from '@tenon/models/api';
import { countText, cutText, plainLine } from '@tenon/wording';
import type { SubagentProgress } from './run-types.ts';

/** At most four times a second: a screen shows no more, and every update is an event for everybody. */
const SHOW_EVERY_MS = 250;

/** Where one task stands. */
export interface TaskView {
  readonly id: string;
  readonly description: string;
  readonly status: 'waiting' | 'running' | 'completed' | 'failed' | 'aborted';
  /** The tool that runs at the moment, and in one line what it does. */
  readonly tool?: string;
  readonly doing?: string;
  readonly toolCount: number;
  readonly tokens: number;
  /** US dollars. */
  readonly cost: number;
  readonly durationMs: number;
  readonly error?: string;
  readonly warnings?: readonly string[];
  /** The end of the result; `agent://ID` has all of it. */
  readonly output?: string;
  /** The session file of the subagent. */
  readonly session?: string;
  /** What became of the changes of an isolated task. */
  readonly merge?: {
    readonly status: string;
    readonly files: readonly string[];
    readonly reason?: string;
    readonly kept?: string;
  };
}

/** The `details` of the tool `task`. */
export interface TaskDetails {
  readonly agent: string;
  /** `provider/id` */
  readonly model: string;
  readonly tasks: readonly TaskView[];
  /** What all of them used together; counted for the session. Only in the result. */
  readonly spent?: Usage;
  /** The background job that they run in. */
  readonly job?: string;
}

type Row = { -readonly [K in keyof TaskView]: TaskView[K] } & { startedAt?: number };

/** The state of all tasks; tells at most some times a second that it has changed. */
export class Board {
  readonly agent: string;
  readonly model: string;
  readonly #rows: readonly Row[];
  readonly #show: (board: Board) => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #showing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(
    about: Pick<TaskDetails, 'agent' | 'model'>,
    tasks: readonly Pick<TaskView, 'id' | 'description'>[],
    show: (board: Board) => Promise<void>,
  ) {
    this.agent = about.agent;
    this.model = about.model;
    this.#show = show;
    this.#rows = tasks.map(({ id, description }) => ({
      id,
      description,
      status: 'waiting',
      toolCount: 0,
      tokens: 0,
      cost: 0,
      durationMs: 0,
    }));
  }

  started(index: number, session: string | undefined): void {
    this.#change(index, { status: 'running', startedAt: Date.now(), ...(session !== undefined && { session }) });
  }

  progress(index: number, { tool, doing, toolCount, usage }: SubagentProgress): void {
    const row = this.#rows[index];
    if (row?.status !== 'running') return;
    delete row.tool;
    delete row.doing;
    this.#change(index, { ...spent(usage), toolCount, ...(tool !== undefined && { tool }), ...(doing && { doing }) });
  }

  ended(
    index: number,
    end: Pick<TaskView, 'status' | 'toolCount'> & Partial<Pick<TaskView, 'error' | 'warnings' | 'output'>>,
    usage: Usage = NO_USAGE,
  ): void {
    const row = this.#rows[index];
    delete row?.tool;
    delete row?.doing;
    const durationMs = row?.startedAt === undefined ? 0 : Date.now() - row.startedAt;
    this.#change(index, { ...spent(usage), ...end, durationMs });
  }

  merged(index: number, merge: NonNullable<TaskView['merge']>): void {
    this.#change(index, { merge });
  }

  views(): readonly TaskView[] {
    return this.#rows.map(({ startedAt, ...row }) =>
      row.status === 'running' && startedAt !== undefined ? { ...row, durationMs: Date.now() - startedAt } : row,
    );
  }

  details(): TaskDetails {
    return { agent: this.agent, model: this.model, tasks: this.views() };
  }

  /** One line per task. */
  text(): string {
    return this.views()
      .map((view) => {
        const doing =
          view.tool === undefined ? '' : `, ${plainLine(cutText(`${view.tool} ${view.doing ?? ''}`.trim(), 60))}`;
        const numbers = view.toolCount + view.tokens === 0 ? '' : `, ${numbersOf(view)}`;
        return `${view.id}: ${view.status}${doing}${numbers}`;
      })
      .join('\n');
  }

  /** No update comes after this. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#showing;
  }

  #change(index: number, change: Partial<Row>): void {
    const row = this.#rows[index];
    if (row) Object.assign(row, change);
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#showing = this.#showing.then(() => this.#show(this));
    }, SHOW_EVERY_MS);
  }
}

/** What a task has used, in words. */
export function numbersOf({ toolCount, tokens, cost }: Pick<TaskView, 'toolCount' | 'tokens' | 'cost'>): string {
  const money = cost > 0 ? `, $${cost.toFixed(cost < 0.1 ? 4 : 2)}` : '';
  return `${countText(toolCount)} tool ${toolCount === 1 ? 'call' : 'calls'}, ${countText(tokens)} tokens${money}`;
}

function spent({ totalTokens, cost }: Usage): Pick<TaskView, 'tokens' | 'cost'> {
  return { tokens: totalTokens, cost: cost.total };
}
