/** The protocol: lines in, frames out. It lives as long as its input. */
import {
  checkValue,
  type Diagnostic,
  type JsonSchema,
  type Logger,
  messageOf,
  problemText,
  type SchemaProblem,
  TenonError,
} from '@tenon/kernel';
import { didYouMean } from '@tenon/wording';
import { faultText } from '@tenon/agent/api';
import type { AnswerFrame, CommandId, RpcCommandName } from './api.ts';
import { rpcCommands } from './commands-table.ts';
import { errors } from './errors.ts';
import { answerFrames } from './frames.ts';
import { EXCHANGES, type Handlers, Later } from './handlers.ts';
import type { HostTools } from './host-tools.ts';
import type { HostUris } from './host-uris.ts';
import { isBlank, type Line, readLines } from './line-reader.ts';
import type { FrameWriter } from './ready-first.ts';
import type { RemoteInterface } from './remote-interface.ts';

/** What the server works with. */
export interface ServerParts {
  readonly writer: FrameWriter;
  readonly handlers: Handlers;
  readonly hostTools: HostTools;
  readonly hostUris: HostUris;
  readonly ui: RemoteInterface;
  readonly log: Logger;
  diagnostics(): readonly Diagnostic[];
}

type Incoming = Readonly<Record<string, unknown>> & { readonly type: string; readonly id?: CommandId };

/** Serves one host. */
export class RpcServer {
  readonly #parts: ServerParts;
  /** Resolves when no command exchanges the session. */
  #gate: Promise<unknown> = Promise.resolve();
  readonly #running = new Set<Promise<void>>();
  #told: number;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#told = parts.diagnostics().length;
  }

  /** Handles every line of the input; resolves when it has ended. */
  async serve(input: AsyncIterable<Uint8Array>): Promise<void> {
    this.#parts.writer.send({ type: 'ready' });
    for await (const line of readLines(input)) {
      // A host that does not read what it asked for has to wait with the next question.
      await this.#parts.writer.caughtUp();
      if (!isBlank(line)) await this.#take(line);
    }
    const gone = errors.create('RPC_HOST_GONE');
    for (const part of [this.#parts.hostTools, this.#parts.hostUris, this.#parts.ui]) part.close(gone);
  }

  /** True while a command runs. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Waits for commands that still run. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #take(line: Line): Promise<void> {
    if ('tooLong' in line)
      return this.#fail(undefined, 'parse', errors.create('RPC_LINE_TOO_LONG', { limit: 64 * 1024 * 1024 }));
    let frame: unknown;
    try {
      frame = JSON.parse(line.text);
    } catch (fault) {
      return this.#fail(idIn(line.text), 'parse', errors.create('RPC_NOT_JSON', { reason: messageOf(fault) }, fault));
    }
    if (!isFrame(frame)) {
      const problem = errors.create('RPC_INVALID', {
        type: 'unknown',
        problems: 'it must be an object with a text "type", and its "id", if any, a text or a number',
      });
      return this.#fail(idIn(line.text), 'parse', problem);
    }
    const schema = schemaOf(frame.type);
    const problems = schema ? await checkValue(schema, frame) : [];
    if (Object.hasOwn(answerFrames, frame.type)) this.#answer(frame, problems);
    else this.#command(frame, problems);
  }

  #answer(frame: Incoming, problems: readonly SchemaProblem[]): void {
    const { hostTools, hostUris, ui } = this.#parts;
    if (problems.length > 0) {
      const problem = errors.create('RPC_INVALID', { type: frame.type, problems: problemText(problems) });
      // Whoever waits for this answer must not wait for ever.
      if (frame.type === 'host_tool_result') hostTools.broken(String(frame.id), problem.message);
      if (frame.type === 'host_uri_result') hostUris.broken(String(frame.id), problem.message);
      return this.#fail(frame.id, frame.type, problem);
    }
    const answer = frame as unknown as AnswerFrame;
    if (answer.type === 'host_tool_update') hostTools.update(answer);
    else if (answer.type === 'host_tool_result') hostTools.result(answer);
    else if (answer.type === 'host_uri_result') hostUris.result(answer);
    else ui.answer(answer);
  }

  #command(frame: Incoming, problems: readonly SchemaProblem[]): void {
    const { type, id } = frame;
    if (!isCommand(type)) {
      const hint = didYouMean(type, Object.keys(rpcCommands));
      return this.#fail(id, type, errors.create('RPC_UNKNOWN_COMMAND', { command: type, hint }));
    }
    if (problems.length > 0) {
      return this.#fail(id, type, errors.create('RPC_INVALID', { type, problems: problemText(problems) }));
    }
    // `abort` is how a host gets out of a long exchange.
    const run = (type === 'abort' ? Promise.resolve() : this.#gate).then(() => this.#run(type, frame));
    if (EXCHANGES.has(type)) this.#gate = run;
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }

  async #run(type: RpcCommandName, frame: Incoming): Promise<void> {
    const { id } = frame;
    const { handlers, writer } = this.#parts;
    const respond = (data: unknown) =>
      writer.send({
        ...(id !== undefined && { id }),
        type: 'response',
        command: type,
        success: true,
        ...(data !== undefined && { data }),
      } as { type: string });
    try {
      const result = await (handlers[type] as (params: unknown) => unknown)(frame);
      if (!(result instanceof Later)) respond(result);
      else {
        respond(undefined);
        let isTold = false;
        const fail = (fault: unknown) => {
          if (!isTold) this.#fail(id, type, fault);
          isTold = true;
        };
        // Not waited for: the host goes on talking while the agent works.
        const work = result.work(fail).catch(fail);
        this.#running.add(work);
        void work.finally(() => this.#running.delete(work));
      }
    } catch (fault) {
      this.#fail(id, type, fault);
    }
    this.tellFindings();
  }

  #fail(id: CommandId | undefined, command: string, fault: unknown): void {
    const { log, writer } = this.#parts;
    if (!(fault instanceof TenonError))
      log.error(`the command "${command}" failed: ${messageOf(fault)}`, { error: fault });
    const error = faultText(fault);
    writer.send({ ...(id !== undefined && { id }), type: 'response', command, success: false, error } as {
      type: string;
    });
  }

  /** Tells the host what plugins did wrong since the last time. */
  tellFindings(): void {
    const all = this.#parts.diagnostics();
    for (const { error } of all.slice(this.#told)) {
      const { plugin, file, hook, event } = error.details as Readonly<Record<string, string | undefined>>;
      this.#parts.writer.send({
        type: 'extension_error',
        extensionPath: file ?? plugin ?? error.owner,
        event: hook ?? event ?? error.code,
        error: error.message,
      } as { type: string });
    }
    this.#told = all.length;
  }
}

function isCommand(type: string): type is RpcCommandName {
  return Object.hasOwn(rpcCommands, type);
}

/** What a frame of this type has to look like; nothing for one that nobody knows. */
function schemaOf(type: string): JsonSchema | undefined {
  if (Object.hasOwn(answerFrames, type)) return answerFrames[type as AnswerFrame['type']];
  return isCommand(type) ? rpcCommands[type].params : undefined;
}

function isFrame(value: unknown): value is Incoming {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { type, id } = value as { type?: unknown; id?: unknown };
  return typeof type === 'string' && (id === undefined || typeof id === 'string' || typeof id === 'number');
}

/** The id of a line that cannot be read: whoever waits for an answer to it should get one. */
function idIn(text: string): CommandId | undefined {
  const [, word, number] = /"id"\s*:\s*(?:"([^"\\]{1,200})"|(\d{1,15})(?=[\s,}]))/.exec(text) ?? [];
  return number === undefined ? word : Number(number);
}
