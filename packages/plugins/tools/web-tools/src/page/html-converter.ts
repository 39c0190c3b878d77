import { errors } from '../errors.ts';
import type { HtmlResult, HtmlTask } from './html-to-markdown.ts';

/** Above this a page takes long enough to be noticed by whoever types meanwhile. */
const WORKER_FROM = 64 * 1024;
const IDLE_MS = 5_000;
const MAX_MS = 60_000;
const WORKER_MEMORY_MB = 768;

type Pool = { run(task: HtmlTask, options: { signal: AbortSignal }): Promise<HtmlResult>; destroy(): Promise<void> };

/** Converts HTML: small pages here, large ones in a worker that ends when it has nothing to do. */
export class HtmlConverter {
  #pool: Promise<Pool | undefined> | undefined;

  async convert(task: HtmlTask, signal: AbortSignal): Promise<HtmlResult> {
    signal.throwIfAborted();
    if (task.html.length > WORKER_FROM) {
      this.#pool ??= openPool();
      const pool = await this.#pool;
      // Cancelling ends the thread: a page cannot keep the machine busy after its reader has left, or for ever.
      const limit = AbortSignal.timeout(MAX_MS);
      if (pool)
        return pool.run(task, { signal: AbortSignal.any([signal, limit]) }).catch((fault: unknown) => {
          signal.throwIfAborted();
          if (!limit.aborted) throw fault;
          throw errors.create('WEB_CONVERSION', { url: task.url, seconds: MAX_MS / 1000 }, fault);
        });
    }
    const { htmlToMarkdown } = await import('./html-to-markdown.ts');
    return htmlToMarkdown(task);
  }

  /** Ends the worker. */
  async close(): Promise<void> {
    const pool = await this.#pool;
    this.#pool = undefined;
    await pool?.destroy();
  }
}

/** Undefined when the code runs from its TypeScript sources, which a thread of Node 20 cannot load. */
async function openPool(): Promise<Pool | undefined> {
  const { workerModule } = await import('./html-worker.ts');
  if (workerModule.endsWith('.ts')) return undefined;
  const { Tinypool } = await import('tinypool');
  return new Tinypool({
    filename: workerModule,
    runtime: 'worker_threads',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: WORKER_MEMORY_MB },
  });
}
