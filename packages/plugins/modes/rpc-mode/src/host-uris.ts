import type { Disposable } from '@tenon/kernel';
import type { UrlScheme, UrlSchemeData } from '@tenon/urls/api';
import { errors } from './errors.ts';
import type { AnswerOf, RequestFrame } from './frames.ts';
import { Pending } from './pending.ts';
import type { HostUriScheme } from './shapes.ts';

/** Where the schemes of all plugins are. */
export interface SchemeTable {
  contribute(scheme: string, value: UrlScheme, data: UrlSchemeData): Disposable;
  /** The plugin that a scheme belongs to, unless it is the host's. */
  ownerOf(scheme: string): string | undefined;
}

/** URL schemes that the host owns: reads and writes go out as frames, contents come back as frames. */
export class HostUris {
  readonly #pending = new Pending<AnswerOf<'host_uri_result'>>('uri');
  readonly #send: (frame: RequestFrame) => void;
  readonly #table: SchemeTable;
  readonly #registered: Disposable[] = [];

  constructor(send: (frame: RequestFrame) => void, table: SchemeTable) {
    this.#send = send;
    this.#table = table;
  }

  /** Replaces all schemes of the host. Gives their names as they are used. */
  set(definitions: readonly HostUriScheme[]): string[] {
    const names = definitions.map(({ scheme }) => scheme.toLowerCase());
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw errors.create('RPC_DUPLICATE', { what: 'scheme', name: twice });
    for (const scheme of names) this.#checkFree(scheme);
    this.#unregister();
    for (const { scheme, description, writable = false, immutable = false } of definitions) {
      const data = { writable, immutable, ...(description !== undefined && { description }) };
      this.#registered.push(this.#table.contribute(scheme.toLowerCase(), this.#scheme(writable), data));
    }
    return names;
  }

  /** Tools take `file://` for a path, so a host that owned it would never be asked. */
  #checkFree(scheme: string): void {
    const owner = scheme === 'file' ? 'the files of this machine' : this.#table.ownerOf(scheme);
    if (owner !== undefined) throw errors.create('RPC_SCHEME_TAKEN', { scheme, owner });
  }

  #scheme(writable: boolean): UrlScheme {
    return {
      read: async (url, { signal }) => {
        const { content = '', contentType, notes, immutable } = await this.#request('read', url, undefined, signal);
        return {
          content,
          ...(contentType !== undefined && { contentType }),
          ...(notes !== undefined && { notes }),
          ...(immutable !== undefined && { immutable }),
        };
      },
      ...(writable && {
        write: async (url, content, { signal }) => void (await this.#request('write', url, content, signal)),
      }),
    };
  }

  async #request(operation: 'read' | 'write', url: string, content: string | undefined, signal: AbortSignal) {
    const answer = await this.#pending.ask(
      (id) => this.#send({ type: 'host_uri_request', id, operation, url, ...(content !== undefined && { content }) }),
      {
        signal,
        onAbort: (targetId) => this.#send({ type: 'host_uri_cancel', id: this.#pending.nextId(), targetId }),
      },
    );
    if (!answer.isError) return answer;
    const reason = answer.error ?? answer.content ?? 'it did not say why';
    throw errors.create('RPC_HOST_URI', { operation, url, reason });
  }

  /** The answer to a read or a write. */
  result(frame: AnswerOf<'host_uri_result'>): void {
    this.#pending.answer(frame.id, frame);
  }

  /** An answer that cannot be read still ends its request. */
  broken(id: string, problem: string): void {
    this.#pending.answer(id, { type: 'host_uri_result', id, isError: true, error: problem });
  }

  #unregister(): void {
    for (const entry of this.#registered.splice(0)) void entry.dispose();
  }

  /** The host is gone. */
  close(reason: Error): void {
    this.#unregister();
    this.#pending.close(reason);
  }
}
