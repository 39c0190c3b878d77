/** One object that becomes one line. */
export interface Frame {
  readonly type: string;
}

interface UpdateFrame extends Frame {
  readonly message: unknown;
  readonly assistantMessageEvent: { readonly type: string; readonly partial?: unknown };
}

interface DeltaFrame extends Frame {
  readonly assistantMessageEvent: { readonly type: string; readonly contentIndex: number; readonly delta: string };
}

const DELTAS = new Set(['text_delta', 'thinking_delta', 'toolcall_delta']);
/** More frames than this waiting means that the reader is far behind. */
const HIGH_WATER = 256;
const BATCH = 64;
/** Long frames go out one by one: many of them together would be a text that is too long to be made. */
const BATCH_CHARS = 256 * 1024;

/** How a writer behaves. */
export interface EventWriterOptions {
  readonly highWater?: number;
  /** Takes secrets out of a frame: the reader may be another program, or a log. */
  mask?(frame: Frame): Frame;
}

/**
 * Writes frames as lines of JSON, in order and as fast as the reader takes them. While it does not take them, deltas of
 * the same block are joined and only the newest update of a tool is kept, so a slow reader costs little memory and
 * loses nothing. Updates of an answer carry what is new and not the answer so far.
 */
export class EventWriter {
  readonly #write: (text: string) => Promise<void>;
  readonly #highWater: number;
  readonly #mask: (frame: Frame) => Frame;
  #queue: Frame[] = [];
  #pump: Promise<void> | undefined;
  #failure: unknown;
  #hasFailed = false;
  #waiting: (() => void)[] = [];

  constructor(write: (text: string) => Promise<void>, options: EventWriterOptions = {}) {
    this.#write = write;
    this.#mask = options.mask ?? ((frame) => frame);
    this.#highWater = options.highWater ?? HIGH_WATER;
  }

  /** How many frames wait. */
  get size(): number {
    return this.#queue.length;
  }

  /** Puts a frame in line. */
  send(given: Frame): void {
    if (this.#hasFailed) return;
    const frame = this.#mask(given.type === 'message_update' ? withoutCopies(given as UpdateFrame) : given);
    const last = this.#queue.at(-1);
    const joined = last && join(last, frame);
    if (joined) this.#queue[this.#queue.length - 1] = joined;
    else this.#queue.push(frame);
    this.#pump ??= this.#run();
  }

  /** True while more waits than a reader that keeps up leaves. */
  get isBehind(): boolean {
    return this.#queue.length > this.#highWater && !this.#hasFailed;
  }

  /** Resolves when the reader is not far behind, or gone. */
  caughtUp(): Promise<void> {
    if (!this.isBehind) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves when everything has been written; rejects when it could not be. */
  async finish(): Promise<void> {
    while (this.#pump) await this.#pump;
    if (this.#hasFailed) throw this.#failure;
  }

  async #run(): Promise<void> {
    // A moment's wait, so that what is said in one breath goes out in one write.
    await Promise.resolve();
    try {
      while (this.#queue.length > 0) {
        await this.#write(this.#nextLines());
        if (this.#queue.length <= this.#highWater) this.#release();
      }
    } catch (fault) {
      this.#hasFailed = true;
      this.#failure = fault;
      this.#queue = [];
    } finally {
      this.#pump = undefined;
      this.#release();
    }
  }

  /** As many lines as go out in one write. */
  #nextLines(): string {
    let text = '';
    let taken = 0;
    for (; taken < BATCH && text.length < BATCH_CHARS; taken++) {
      const frame = this.#queue[taken];
      if (!frame) break;
      text += `${JSON.stringify(frame)}\n`;
    }
    this.#queue.splice(0, taken);
    return text;
  }

  #release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const NO_CONTENT = { role: 'assistant', content: [] };

/** With the answer so far in every update, the output would grow with the square of the answer's length. */
function withoutCopies({ assistantMessageEvent, ...rest }: UpdateFrame): UpdateFrame {
  const { partial: _soFar, ...event } = assistantMessageEvent;
  return { ...rest, message: NO_CONTENT, assistantMessageEvent: event };
}

/** Two neighbouring frames as one, where that loses nothing. */
function join(before: Frame, after: Frame): Frame | undefined {
  if (isDelta(before) && isDelta(after)) {
    const [old, fresh] = [before.assistantMessageEvent, after.assistantMessageEvent];
    if (old.type !== fresh.type || old.contentIndex !== fresh.contentIndex) return undefined;
    const joined: DeltaFrame = { ...after, assistantMessageEvent: { ...fresh, delta: old.delta + fresh.delta } };
    return joined;
  }
  const isUpdate = before.type === 'tool_execution_update' && after.type === before.type;
  return isUpdate && callOf(before) === callOf(after) ? after : undefined;
}

function isDelta(frame: Frame): frame is DeltaFrame {
  return frame.type === 'message_update' && DELTAS.has((frame as DeltaFrame).assistantMessageEvent.type);
}

function callOf(frame: Frame): unknown {
  return (frame as { toolCallId?: unknown }).toolCallId;
}
