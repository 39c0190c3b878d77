/** Asks a model for the message, outside of any conversation. */
import { messageOf, TenonError } from '@tenon/kernel';
import { failureText, type Model, type ModelRegistry, type ModelRequest } from '@tenon/models/api';
import { type Answer, readAnswer } from './answer.ts';
import { digestOf } from './digest.ts';
import { errors } from './errors.ts';
import { MAX_SUBJECT, TYPES } from './message.ts';
import { prompts } from './prompts/index.ts';
import type { Staged } from './staged.ts';

type Parts = Pick<ModelRequest, 'systemPrompt' | 'messages' | 'tools'>;

/** What the question is asked with. */
export interface AskHost {
  readonly models: ModelRegistry;
  readonly model: Model;
  /** Lets plugins change what is sent: secrets are masked there. */
  change(parts: Parts): Promise<Parts>;
  readonly signal: AbortSignal;
}

/** What the model is told beside the differences. */
export interface Wishes {
  readonly about: string;
  readonly maySplit: boolean;
  readonly hasChangelog: boolean;
}

/** About four characters are a token; a third of the window stays for everything else. */
const MAX_CHARS = 120_000;
const budgetFor = ({ contextWindow }: Model): number => Math.min(MAX_CHARS, Math.floor((contextWindow * 4) / 3));
const TRIES = 2;

/** The proposal of the model. */
export async function askForMessage(host: AskHost, staged: Staged, wishes: Wishes): Promise<Answer> {
  const { model, signal } = host;
  const name = `${model.provider}/${model.id}`;
  const { text: diff, shortened } = digestOf(staged.files, budgetFor(model));
  const files = staged.files.map(
    ({ path, from, change, added, removed, isBinary }) =>
      `${path} (${change}${from === undefined ? '' : ` from ${from}`}, ${isBinary ? 'binary' : `+${added} -${removed}`})`,
  );
  const { about, maySplit, hasChangelog } = wishes;
  const systemPrompt = prompts.system({ types: TYPES.join(', '), maxSubject: MAX_SUBJECT, hasChangelog, maySplit });
  let problem = '';
  for (let turn = 0; turn < TRIES; turn++) {
    const content = prompts.request({
      subjects: staged.subjects,
      about,
      files,
      shortened: shortened.join(', '),
      diff,
      problem,
    });
    const text = await answerOf(host, {
      systemPrompt,
      messages: [{ role: 'user', content, timestamp: Date.now() }],
      tools: [],
    });
    const answer = readAnswer(text, staged.files);
    if (!('problem' in answer)) return answer;
    problem = answer.problem;
    signal.throwIfAborted();
  }
  throw errors.create('COMMIT_MODEL', { model: name, reason: `its answer could not be used: ${problem}` });
}

async function answerOf({ models, model, change, signal }: AskHost, parts: Parts): Promise<string> {
  const name = `${model.provider}/${model.id}`;
  const request = { model, toolChoice: 'none' as const, ...(await change(parts)) };
  try {
    for await (const event of models.stream(request, { signal })) {
      if (event.type === 'error')
        throw errors.create('COMMIT_MODEL', { model: name, reason: failureText(event.error) });
      if (event.type !== 'done') continue;
      return event.message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    }
  } catch (fault) {
    if (signal.aborted || fault instanceof TenonError) throw fault;
    throw errors.create('COMMIT_MODEL', { model: name, reason: messageOf(fault) }, fault);
  }
  throw errors.create('COMMIT_MODEL', { model: name, reason: 'it ended without an answer' });
}
