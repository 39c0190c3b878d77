/** Questions of tools, asked the user of the client whose call is being made. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from '@modelcontextprotocol/server';
import {
  type DialogOptions,
  type FieldAnswer,
  type FieldForm,
  formAnswer,
  formFields,
  SILENT,
  type UserInterface,
} from '@tenon/host';

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
    const askForm = async (
      { message, properties, required = [] }: FieldForm,
      { signal, timeoutMs = ASK_MS }: DialogOptions = {},
    ): Promise<FieldAnswer> => {
      const server = this.#asking();
      if (!server) return { action: 'decline' };
      const requestedSchema = { type: 'object', properties, required: [...required] } as never;
      try {
        const { action, content = {} } = await server.elicitInput(
          { mode: 'form', message, requestedSchema },
          { timeout: timeoutMs, ...(signal && { signal }) },
        );
        return action === 'accept' ? { action, content } : { action };
      } catch {
        return { action: 'cancel' }; // Not being answered is an answer here; the asker knows what to do then.
      }
    };
    const asked = async (message: string, field: Readonly<Record<string, unknown>>, dialog?: DialogOptions) => {
      const answer = await askForm({ message, properties: { answer: field }, required: ['answer'] }, dialog);
      return answer.action === 'accept' ? answer.content['answer'] : undefined;
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
      askForm,
      async fillIn(questions, dialog) {
        const message = questions.map(({ question }) => question).join('\n');
        const properties = formFields(questions);
        const answer = await askForm({ message, properties }, dialog);
        if (answer.action !== 'accept') return undefined;
        return questions.map((question) => formAnswer(question, answer.content[question.id]));
      },
    };
  }

  #asking(): Server | undefined {
    const server = this.#calls.getStore();
    return server?.getClientCapabilities()?.elicitation === undefined ? undefined : server;
  }
}
