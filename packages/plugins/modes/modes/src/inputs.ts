/** What a mode is to work on: prompts with the files, images and piped text that go with them. */
import type { CommandCall } from '@tenon/command-line/api';
import type { FileMentionMessage } from '@tenon/sessions/api';
import type { ModeInput } from './api.ts';
import { errors } from './errors.ts';
import { pipedMention, readImage, readMention, readPiped } from './input.ts';
import { mentionsIn } from './mentions.ts';
import type { SplitWords } from './words.ts';

type Files = FileMentionMessage['files'];

/** Where the parts come from. */
export interface InputSources extends Pick<CommandCall, 'cwd' | 'signal' | 'io'> {
  /** Absent when it is not to be read here. */
  readonly stdin?: NodeJS.ReadStream;
  readonly images: readonly string[];
}

/** Reads everything that goes with the prompts, before anything starts: a file that is missing must not end half of the work. */
export async function readInputs(words: SplitWords, sources: InputSources): Promise<readonly ModeInput[]> {
  const { cwd, signal, io, stdin, images } = sources;
  const asked = words.prompts.map((prompt) => mentionsIn(prompt, cwd));
  const [first, ...later] = await Promise.all(
    asked.map(async ({ text, files }) => ({ text, files: await readAll(files, cwd) })),
  );
  const named = [
    ...(await readAll(words.files, cwd)),
    ...(await Promise.all(images.map((image) => readImage(image, cwd)))),
  ];
  const piped = stdin ? await readPiped(stdin, signal, (hint) => void io.err(hint)) : Buffer.alloc(0);
  signal.throwIfAborted();
  const pipe = piped.length > 0 ? pipedMention(piped) : undefined;
  if (first) {
    const files = [...named, ...first.files, ...(pipe ? [pipe] : [])];
    return [inputOf(first.text, files), ...later.map(({ text, files: own }) => inputOf(text, own))];
  }
  // Text from a pipe is the prompt when there is no other; else it is what the prompt is about.
  if (pipe) return [inputOf(pipe.content, named)];
  return named.length > 0 ? [promptFromFiles(named)] : [];
}

/** One prompt that was typed, with the files that it names. */
export async function readPrompt(prompt: string, cwd: string): Promise<ModeInput> {
  const { text, files } = mentionsIn(prompt, cwd);
  return inputOf(text, await readAll(files, cwd));
}

function readAll(files: readonly string[], cwd: string): Promise<Files> {
  return Promise.all(files.map((file) => readMention(file, cwd)));
}

/** Files without another word: what they say is the prompt. */
function promptFromFiles(files: Files): ModeInput {
  const prompt = files.flatMap(({ content, image }) => (image ? [] : [content])).join('\n\n');
  if (prompt.trim() === '') throw errors.create('MODES_NOTHING_TO_DO');
  return inputOf(
    prompt,
    files.filter(({ image }) => image),
  );
}

function inputOf(prompt: string, files: Files): ModeInput {
  return { prompt, ...(files.length > 0 && { mentions: { role: 'fileMention', files, timestamp: Date.now() } }) };
}
