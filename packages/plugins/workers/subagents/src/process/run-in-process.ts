/** Runs a subagent as `tenon --mode rpc` in a sandbox of its own. */
import { writeFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { ownProgram, programPlaces } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import { type Model, NO_USAGE, type Usage } from '@tenon/models/api';
import type { Confinement } from '@tenon/sandbox/api';
import { prompts } from '../prompts/index.ts';
import type { SubagentResult, SubagentRun, Yielded } from '../run-types.ts';
import { createYieldTool, YIELD } from '../yield-tool.ts';
import type { ProcessHost } from './api.ts';
import { keepSession } from './keep-session.ts';
import { makeHome, type OwnHome } from './own-home.ts';
import { type Frame, RpcLink } from './rpc-link.ts';

const MAX_REMINDERS = 3;
const ABORT_MS = 2_000;
const END_MS = 5_000;

/** Runs it to its end. */
export async function runInProcess(host: ProcessHost, run: SubagentRun): Promise<SubagentResult> {
  let home: OwnHome | undefined;
  let confinement: Confinement | undefined;
  let child: ProcessChild | undefined;
  try {
    run.signal.throwIfAborted();
    const service = await host.sandboxes();
    if (!service)
      throw new Error('There is no sandbox here, and this definition runs only in one. Turn the plugin `sandbox` on.');
    const { model, server } = servedFrom(run.model);
    home = await makeHome(host.folders, model, await host.keys(run.model.provider), host.env ?? process.env);
    // A definition may be longer than a word of a command line can be, and is nothing for the list of processes.
    await writeFile(home.promptFile, run.systemPrompt, { mode: 0o600 });
    const program = host.program ?? ownProgram();
    confinement = await service.wrap({
      cwd: run.cwd,
      profile: host.profile ?? 'workspace-write',
      extraRead: program.filter((word) => isAbsolute(word)).flatMap(programPlaces),
      extraWrite: [home.folder],
      hosts: [server],
    });
    const env = {
      ...home.env,
      ...confinement.env,
      TENON_HOME: home.folder,
      TENON_SUBAGENT_KEY: home.env['TENON_SUBAGENT_KEY'],
    };
    child = new ProcessChild(
      host,
      run,
      [...confinement.argv, ...program, ...wordsFor(run, home)] as [string, ...string[]],
      env,
    );
    return await child.work();
  } catch (fault) {
    const isStopped = run.signal.aborted && { isStopped: true };
    return {
      ...(child?.result() ?? { answer: '', usage: NO_USAGE, toolCount: 0 }),
      error: messageOf(fault),
      ...isStopped,
    };
  } finally {
    await child?.close();
    await confinement?.dispose();
    // What it has done counts, whether its conversation can be kept or not.
    if (home && run.sessionFile !== undefined)
      await keepSession(home.sessionFile, run.sessionFile).catch((fault: unknown) =>
        host.warn?.(`the session of the subagent "${run.id}" could not be kept: ${messageOf(fault)}`),
      );
    await home?.remove();
  }
}

/** The model as the process reaches it, and the host that it is served from: the only one that can be reached. */
function servedFrom(model: Model): { readonly model: Model; readonly server: string } {
  if (model.baseUrl === undefined)
    throw new Error(`The address of ${model.provider}/${model.id} is not known, so it cannot be used from a sandbox.`);
  const url = new URL(model.baseUrl);
  if (!/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname)) return { model, server: url.host };
  // Servers of this machine are not asked through a proxy, but the sandbox has no other way out: in this spelling the address is one like others.
  url.hostname = `[::ffff:${url.hostname.startsWith('127') ? url.hostname : '127.0.0.1'}]`;
  return { model: { ...model, baseUrl: url.href.replace(/\/$/, '') }, server: url.host };
}

function wordsFor({ model, thinking, tools }: SubagentRun, home: OwnHome): readonly string[] {
  return [
    '--mode',
    'rpc',
    `--model=${model.provider}/${model.id}`,
    `--thinking=${thinking}`,
    `--system-prompt=@${home.promptFile}`,
    `--tools=${tools.join(',')}`,
    `--session=${home.sessionFile}`,
    '--no-extensions',
  ];
}

/** One process, and what is known of its agent. */
class ProcessChild {
  readonly #host: ProcessHost;
  readonly #run: SubagentRun;
  readonly #link: RpcLink;
  readonly #yieldTool;
  #yielded: Yielded | undefined;
  #answer = '';
  #failure: string | undefined;
  #usage: Usage = NO_USAGE;
  #toolCount = 0;
  #doing: { readonly tool: string; readonly doing: string } | undefined;
  #isReady: (() => void) | undefined;
  #isDone: (() => void) | undefined;
  readonly #ready = new Promise<void>((resolve) => (this.#isReady = resolve));

  constructor(host: ProcessHost, run: SubagentRun, argv: readonly [string, ...string[]], env: NodeJS.ProcessEnv) {
    this.#host = host;
    this.#run = run;
    this.#yieldTool = createYieldTool(run.schema, (yielded) => (this.#yielded = yielded));
    this.#link = new RpcLink({ argv, cwd: run.cwd, env, frame: (frame) => this.#see(frame) });
    run.signal.addEventListener('abort', this.#stop, { once: true });
  }

  readonly #stop = () => {
    void this.#link.ask({ type: 'abort' });
    setTimeout(() => this.#link.kill(), ABORT_MS).unref();
  };

  async work(): Promise<SubagentResult> {
    await Promise.race([this.#ready, this.#link.ended]);
    const { description, parameters } = this.#yieldTool;
    await this.#link.ask({ type: 'set_host_tools', tools: [{ name: YIELD, description, parameters }] });
    await this.#say(this.#run.prompt);
    const hasSchema = this.#run.schema !== undefined;
    for (let number = 1; number <= MAX_REMINDERS && this.#isUnfinished(); number++)
      await this.#say(prompts.reminder({ number, limit: MAX_REMINDERS, hasSchema }));
    return this.result();
  }

  #isUnfinished(): boolean {
    return this.#yielded === undefined && this.#failure === undefined && !this.#run.signal.aborted;
  }

  /** Says something and waits for the end of the run, or of the process. */
  async #say(message: string): Promise<void> {
    const done = new Promise<void>((resolve) => (this.#isDone = resolve));
    const response = await this.#link.ask({ type: 'prompt', message });
    if (response?.['success'] === false) this.#failure = textOr(response['error'], 'The subagent refused its task.');
    if (this.#failure !== undefined) return;
    const over = this.#link.ended.then(({ code, errors }) => {
      if (this.#yielded) return;
      this.#failure ??= `The process of the subagent ended${code === null ? '' : ` with ${code}`}: ${errors.trim().split('\n').at(-1) ?? ''}`;
    });
    await Promise.race([done, over]);
  }

  result(): SubagentResult {
    const isStopped = this.#run.signal.aborted && this.#yielded === undefined;
    return {
      answer: this.#answer,
      usage: this.#usage,
      toolCount: this.#toolCount,
      ...(this.#yielded && { yielded: this.#yielded }),
      ...(this.#failure !== undefined && !this.#yielded && { error: this.#failure }),
      ...(isStopped && { isStopped }),
    };
  }

  async close(): Promise<void> {
    this.#run.signal.removeEventListener('abort', this.#stop);
    await this.#link.close(END_MS);
  }

  #see(frame: Frame): void {
    switch (frame.type) {
      case 'ready':
        return this.#isReady?.();
      case 'host_tool_call':
        return void this.#callTool(frame);
      case 'extension_ui_request':
        return void this.#ask(frame);
      case 'tool_execution_start': {
        const tool = textOr(frame['toolName'], '');
        if (tool === YIELD) return;
        this.#toolCount++;
        this.#doing = { tool, doing: firstText(frame['args']) };
        return this.#tell();
      }
      case 'tool_execution_end':
        this.#doing = undefined;
        return this.#tell();
      case 'message_end':
        return this.#message(fields(frame['message']));
      case 'turn_end':
        // What the model would say next nobody reads.
        if (this.#yielded) this.#link.send({ type: 'abort' });
        return;
      case 'agent_end':
        if (typeof frame['error'] === 'string' && !this.#yielded) this.#failure = frame['error'];
        return this.#isDone?.();
      default:
        return;
    }
  }

  #message(message: Fields): void {
    if (message['role'] !== 'assistant') return;
    const blocks = Array.isArray(message['content']) ? message['content'].map(fields) : [];
    const text = blocks.flatMap((block) => (block['type'] === 'text' ? [textOr(block['text'], '')] : [])).join('\n');
    this.#answer = text || this.#answer;
    this.#usage = added(this.#usage, fields(message['usage']));
    this.#tell();
  }

  #tell(): void {
    this.#run.progress({ ...this.#doing, toolCount: this.#toolCount, usage: this.#usage });
  }

  async #callTool(frame: Frame): Promise<void> {
    const isYield = frame['toolName'] === YIELD;
    const result = isYield
      ? await this.#yieldTool.execute(fields(frame['arguments']), { signal: this.#run.signal } as never)
      : { content: [{ type: 'text', text: 'There is no such tool.' }], isError: true };
    const { content, isError } = result;
    this.#link.send({
      type: 'host_tool_result',
      id: textOr(frame['id'], ''),
      result: { content },
      ...(isError && { isError }),
    });
  }

  /** A question for the person; whoever cannot be asked says no. */
  async #ask(frame: Frame): Promise<void> {
    const { method } = frame;
    if (method !== 'select' && method !== 'confirm' && method !== 'input' && method !== 'editor') return;
    const id = textOr(frame['id'], '');
    const options = Array.isArray(frame['options'])
      ? frame['options'].filter((one) => typeof one === 'string')
      : undefined;
    const message = typeof frame['message'] === 'string' ? { message: frame['message'] } : {};
    const question = { title: textOr(frame['title'], ''), ...message, ...(options && { options }) };
    const canAsk = method === 'select' || method === 'confirm';
    const answer = canAsk ? await this.#host.ask?.(question, this.#run.signal).catch(() => undefined) : undefined;
    if (method === 'confirm')
      return this.#link.send({ type: 'extension_ui_response', id, confirmed: answer === 'yes' });
    // Only what was offered can be chosen.
    const isOffered = answer !== undefined && (options?.includes(answer) ?? false);
    this.#link.send({ type: 'extension_ui_response', id, ...(isOffered ? { value: answer } : { cancelled: true }) });
  }
}

type Fields = Readonly<Record<string, unknown>>;

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

function firstText(args: unknown): string {
  const first = Object.values(fields(args)).find((value) => typeof value === 'string');
  return textOr(first, '').slice(0, 200);
}

/** Adds what an answer cost. Numbers that are none count as nothing. */
function added(total: Usage, usage: Fields): Usage {
  const cost = fields(usage['cost']);
  const plus = (before: number, value: unknown) =>
    before + (typeof value === 'number' && value > 0 && Number.isFinite(value) ? value : 0);
  return {
    input: plus(total.input, usage['input']),
    output: plus(total.output, usage['output']),
    cacheRead: plus(total.cacheRead, usage['cacheRead']),
    cacheWrite: plus(total.cacheWrite, usage['cacheWrite']),
    totalTokens: plus(total.totalTokens, usage['totalTokens']),
    cost: {
      input: plus(total.cost.input, cost['input']),
      output: plus(total.cost.output, cost['output']),
      cacheRead: plus(total.cost.cacheRead, cost['cacheRead']),
      cacheWrite: plus(total.cost.cacheWrite, cost['cacheWrite']),
      total: plus(total.cost.total, cost['total']),
    },
  };
}
