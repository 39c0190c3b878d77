/** A host inside the test: writes frames, reads frames. */
import { PassThrough } from 'node:stream';
import type { Kernel } from '@tenon/kernel';
import { createWorld, type WorldOptions } from '@tenon/test-kit/agent-world';
import { runCommand } from '@tenon/test-kit/command-run';

export type AnyFrame = Record<string, any> & { type: string };

/** A running server and the two ends of its pipes. */
export class Host {
  readonly frames: AnyFrame[] = [];
  readonly input = new PassThrough();
  exit: Promise<number | void> = Promise.resolve();
  /** While this is pending nothing is read. */
  gate: Promise<void> = Promise.resolve();
  #waiting: { matches: (frame: AnyFrame) => boolean; resolve: (frame: AnyFrame) => void }[] = [];
  #count = 0;
  #rest = '';

  /** Starts the server. */
  start(kernel: Kernel, cwd: string, flags: Record<string, string | boolean> = {}): void {
    const real = Object.getOwnPropertyDescriptor(process, 'stdin');
    Object.defineProperty(process, 'stdin', { value: this.input, configurable: true });
    const out = async (text: string) => {
      await this.gate;
      this.take(text);
    };
    this.exit = runCommand(kernel, 'agent', { flags: { mode: 'rpc', ...flags }, cwd, io: { out } })
      .then(({ code }) => code)
      .finally(() => real && Object.defineProperty(process, 'stdin', real));
  }

  take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const frame = JSON.parse(line) as AnyFrame;
      this.frames.push(frame);
      const found = this.#waiting.findIndex(({ matches }) => matches(frame));
      if (found !== -1) this.#waiting.splice(found, 1)[0]?.resolve(frame);
    }
  }

  /** The next frame that fits, from now on. */
  next(matches: (frame: AnyFrame) => boolean): Promise<AnyFrame> {
    return new Promise((resolve) => this.#waiting.push({ matches, resolve }));
  }

  nextOf(type: string): Promise<AnyFrame> {
    return this.next((frame) => frame.type === type);
  }

  send(frame: object): void {
    this.input.write(`${JSON.stringify(frame)}\n`);
  }

  /** Sends a command and waits for its response. */
  ask(type: string, params: object = {}): Promise<AnyFrame> {
    const id = `t${++this.#count}`;
    const answer = this.next((frame) => frame.type === 'response' && frame['id'] === id);
    this.send({ id, type, ...params });
    return answer;
  }

  /** Sends a prompt and waits for the end of the work. */
  async work(message: string): Promise<void> {
    const end = this.nextOf('agent_end');
    await this.ask('prompt', { message });
    await end;
  }

  async end(): Promise<number | void> {
    this.input.end();
    return this.exit;
  }
}

/** A world with RPC mode, and a host that is connected. */
export async function connect(options: WorldOptions & { flags?: Record<string, string | boolean> } = {}) {
  const { flags, plugins = [], ...rest } = options;
  const own = ['modes', 'session-export', 'planning-tools', 'shell-tools', 'rpc-mode'];
  const world = await createWorld({ ...rest, plugins: [...own, ...plugins] });
  const host = new Host();
  const ready = host.nextOf('ready');
  host.start(world.kernel, world.cwd, flags);
  await Promise.race([ready, host.exit]);
  return { ...world, host };
}
