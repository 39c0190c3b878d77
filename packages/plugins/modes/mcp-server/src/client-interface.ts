/** Questions of tools, asked the user of the client whose call is being made. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from '@modelcontextprotocol/server';
import { type DialogOptions, SILENT, type UserInterface } from '@tenon/host';

const ASK_MS = 10 * 60_000;

/** Which client the present code works for. */
export class CallingClient {
  readonly #calls = new AsyncLocalStorage<Server>();

  /** Does work in the name of a client. */
  during<T>(server: Server, work: () => Promise<T>): Promise<T> {
    return this.#calls.run(server, work);
  }

  /** The interface of that client. Where no call is being made, or the client knows no forms, nobody can answer. */
  interface(): UserInterface {
    const asked = async (
      message: string,
      field: object,
      { signal, timeoutMs = ASK_MS }: DialogOptions = {},
    ): Promise<unknown> => {
      const server = this.#asking();
      if (!server) return undefined;
      const requestedSchema = { type: 'object', properties: { answer: field }, required: ['answer'] } as never;
      try {
        const { action, content } = await server.elicitInput(
          { mode: 'form', message, requestedSchema },
          { timeout: timeoutMs, ...(signal && { signal }) },
        );
        return action === 'accept' ? content?.['answer'] : undefined;
      } catch {
        return undefined; // Not being answered is an answer here; the asker knows what to do then.
      }
    };
    const text = async (title: string, field: object, dialog?: DialogOptions) => {
      const answer = await asked(title, { type: 'string', title: 'Answer', ...field }, dialog);
      return typeof answer === 'string' ? answer : undefined;
    };
    return {
      ...SILENT,
      canAsk: () => this.#asking() !== undefined,
      async select(title, options, dialog) {
        const answer = await text(title, { enum: [...options] }, dialog);
        return options.find((option) => option === answer);
      },
      confirm: async (title, message, dialog) =>
        (await asked(`${title}\n${message}`, { type: 'boolean', title: 'Yes', default: false }, dialog)) === true,
      input: (title, placeholder, dialog) => text(title, placeholder ? { description: placeholder } : {}, dialog),
      editor: (title, prefill, dialog) => text(title, prefill ? { default: prefill } : {}, dialog),
    };
  }

  #asking(): Server | undefined {
    const server = this.#calls.getStore();
    return server?.getClientCapabilities()?.elicitation === undefined ? undefined : server;
  }
}
