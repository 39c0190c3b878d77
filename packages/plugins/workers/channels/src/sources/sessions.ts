/** Questions of sessions that a server has open, as a source. For the control room. */
import type { Approvals } from '@tenon/approval/api';
import type { OpenQuestion, QuestionSource } from '../question.ts';

/** A question of a session, as the control room knows it. */
export interface SessionQuestion {
  readonly id: string;
  readonly session: string;
  readonly method: 'select' | 'confirm' | 'input' | 'editor';
  readonly title: string;
  readonly message?: string;
  readonly options?: readonly string[];
}

/** What the source asks the server. */
export interface SessionQuestions {
  questions(): readonly SessionQuestion[];
  /** Throws when the question is gone. */
  answer(question: SessionQuestion, answer: { readonly value?: string; readonly confirmed?: boolean }): void;
}

const [YES, NO] = ['Yes', 'No'];
/** The last answer to a question about a call, and what the first one begins with. */
const REFUSALS: ReadonlySet<string | undefined> = new Set(['Deny', 'No']);
const CONSENTS = /^(?:Allow once|Run it once)\b/;

/** The questions of a server's sessions. Those about calls come from the approvals themselves. */
export function sessionsSource(
  server: SessionQuestions,
  approvals: () => Promise<Pick<Approvals, 'held'> | undefined>,
): QuestionSource {
  const find = (id: string) => server.questions().find((question) => question.id === id);
  return {
    async open() {
      const waiting = ((await (await approvals())?.held()) ?? []).filter(({ state }) => state === 'waiting');
      const held = new Set(waiting.map(({ session }) => session));
      // The call of a subagent is held for the subagent's session, and asked about in the one that it works for.
      const isApproval = ({ method, options = [], session }: SessionQuestion) =>
        method === 'select' && REFUSALS.has(options.at(-1)) && (held.has(session) || CONSENTS.test(options[0] ?? ''));
      return server
        .questions()
        .filter((question) => !isApproval(question))
        .map(openQuestion);
    },
    async answer(id, answer) {
      const question = find(id);
      if (!question) return 'gone';
      server.answer(question, question.method === 'confirm' ? { confirmed: answer === YES } : { value: answer });
      return 'taken';
    },
  };
}

function openQuestion({ id, session, method, title, message, options }: SessionQuestion): OpenQuestion {
  const choices = method === 'confirm' ? [YES, NO] : method === 'select' ? (options ?? []) : [];
  const [first = '', ...more] = title.split('\n');
  return {
    id,
    title: `Session ${session.slice(0, 8)} asks: ${first}`,
    text: [...more, ...(message === undefined ? [] : [message])].join('\n'),
    ...(choices.length > 0 && { options: choices }),
    takesText: method === 'input' || method === 'editor',
  };
}
