/** What a worker says about the end of its session. The file is the worker's: nothing in it is believed unseen. */
import { readPlainFile } from '@tenon/host';
import { checkValue, problemText } from '@tenon/schema';
import type { FoundSignal, Signal } from './contract.ts';

const TEXT = { type: 'string', minLength: 1, maxLength: 20_000 } as const;
const SESSION = { type: 'integer', minimum: 1 } as const;

const SCHEMAS = {
  done: { type: 'object', properties: { session: SESSION, status: { const: 'done' } }, required: ['status'] },
  questions: {
    type: 'object',
    required: ['status', 'questions'],
    properties: {
      session: SESSION,
      status: { const: 'questions' },
      questions: {
        type: 'array',
        minItems: 1,
        maxItems: 50,
        items: {
          type: 'object',
          required: ['id', 'text'],
          properties: {
            id: { type: 'string', pattern: '^[\\w.-]{1,64}$' },
            text: TEXT,
            options: { type: 'array', maxItems: 30, items: TEXT },
          },
        },
      },
    },
  },
  error: {
    type: 'object',
    required: ['status', 'error'],
    properties: { session: SESSION, status: { const: 'error' }, error: TEXT },
  },
} as const;

/** Reads the signal in a folder. One that is no signal, or one of an earlier session, is refused with a notice. */
export async function readSignalFile(root: string, path: string, session: number): Promise<FoundSignal> {
  const file = await readPlainFile(root, path);
  if ('missing' in file) return {};
  if ('refused' in file) return { notice: `The worker's signal was not read: ${file.refused}.` };
  return signalIn(file.text, session);
}

/** The block at the end of an answer. */
const BLOCK = /(?:^|\n)[ \t]*```signal[ \t]*\r?\n([^]*?)\r?\n[ \t]*```\s*$/;

/** Reads the signal at the end of an answer, and gives the answer without it. */
export async function signalInAnswer(
  answer: string,
  session: number,
): Promise<FoundSignal & { readonly text: string }> {
  const block = BLOCK.exec(answer);
  if (!block) return { text: answer };
  return { ...(await signalIn(block[1] ?? '', session)), text: answer.slice(0, block.index).trimEnd() };
}

async function signalIn(text: string, session: number): Promise<FoundSignal> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { notice: 'The signal of the worker is no JSON.' }; // It may be asked once more.
  }
  const { status, session: named } = (value ?? {}) as { status?: unknown; session?: unknown };
  if (typeof named === 'number' && named !== session)
    return { notice: `The worker's signal is of session ${named}, not of this one (${session}): it was refused.` };
  const schema =
    typeof status === 'string' && Object.hasOwn(SCHEMAS, status) ? SCHEMAS[status as Signal['status']] : undefined;
  if (!schema) return { notice: 'The signal of the worker has no known status.' };
  const problems = await checkValue(schema, value);
  if (problems.length > 0) return { notice: `The signal of the worker is wrong: ${problemText(problems)}.` };
  const { questions } = value as { questions?: readonly { readonly id: string }[] };
  const ids = questions?.map(({ id }) => id) ?? [];
  if (new Set(ids).size < ids.length) return { notice: 'The signal of the worker has two questions with one id.' };
  return { signal: value as Signal };
}
