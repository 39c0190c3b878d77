import type { DialogOptions, UserInterface } from '@tenon/host';
import type { AnswerOf, InterfaceRequest } from './frames.ts';
import { Pending } from './pending.ts';

type Answer = AnswerOf<'extension_ui_response'>;
type Body = InterfaceRequest extends infer R ? (R extends InterfaceRequest ? Omit<R, 'id' | 'type'> : never) : never;

/** The user sits behind the host: questions go out as frames and wait for an answer, notices just go out. */
export class RemoteInterface implements UserInterface {
  readonly #pending = new Pending<Answer>('ui');
  readonly #send: (frame: InterfaceRequest) => void;
  readonly #emitsTitle: boolean;

  constructor(send: (frame: InterfaceRequest) => void, options: { readonly emitsTitle: boolean }) {
    this.#send = send;
    this.#emitsTitle = options.emitsTitle;
  }

  canAsk(): boolean {
    return true;
  }

  async select(title: string, options: readonly string[], dialog?: DialogOptions): Promise<string | undefined> {
    return (await this.#ask({ method: 'select', title, options: [...options] }, dialog))?.value;
  }

  async confirm(title: string, message: string, dialog?: DialogOptions): Promise<boolean> {
    return (await this.#ask({ method: 'confirm', title, message }, dialog))?.confirmed === true;
  }

  async input(title: string, placeholder?: string, dialog?: DialogOptions): Promise<string | undefined> {
    return (await this.#ask({ method: 'input', title, ...(placeholder !== undefined && { placeholder }) }, dialog))
      ?.value;
  }

  async editor(title: string, prefill?: string, dialog?: DialogOptions): Promise<string | undefined> {
    return (await this.#ask({ method: 'editor', title, ...(prefill !== undefined && { prefill }) }, dialog))?.value;
  }

  notify(message: string, kind: 'info' | 'warning' | 'error' = 'info'): void {
    this.#tell({ method: 'notify', message, notifyType: kind });
  }

  setStatus(key: string, text: string | undefined): void {
    this.#tell({ method: 'setStatus', statusKey: key, ...(text !== undefined && { statusText: text }) });
  }

  setWidget(key: string, lines: readonly string[] | undefined): void {
    this.#tell({ method: 'setWidget', widgetKey: key, ...(lines !== undefined && { widgetLines: [...lines] }) });
  }

  /** Few hosts have a title to set, so it has to be asked for. */
  setTitle(title: string): void {
    if (this.#emitsTitle) this.#tell({ method: 'setTitle', title });
  }

  setEditorText(text: string): void {
    this.#tell({ method: 'set_editor_text', text });
  }

  /** An answer of the user; one that nobody waits for is passed over. */
  answer(frame: Answer): void {
    this.#pending.answer(frame.id, frame);
  }

  /** The host is gone: open questions stay unanswered. */
  close(reason: Error): void {
    this.#pending.close(reason);
  }

  #tell(body: Body): void {
    this.#send({ type: 'extension_ui_request', id: this.#pending.nextId(), ...body } as InterfaceRequest);
  }

  /** The answer, or nothing when the user declined, time ran out, the asker gave up, or the host is gone. */
  async #ask(body: Body, { timeoutMs, signal }: DialogOptions = {}): Promise<Answer | undefined> {
    const limits = [...(signal ? [signal] : []), ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)])];
    const timeout = timeoutMs === undefined ? {} : { timeout: timeoutMs };
    try {
      const answer = await this.#pending.ask(
        (id) => this.#send({ type: 'extension_ui_request', id, ...body, ...timeout } as InterfaceRequest),
        {
          ...(limits.length > 0 && { signal: AbortSignal.any(limits) }),
          onAbort: (targetId) => this.#tell({ method: 'cancel', targetId }),
        },
      );
      return answer.cancelled ? undefined : answer;
    } catch {
      return undefined; // Not being answered is an answer here; the asker knows what to do then.
    }
  }
}
