/** Reads what a model answers: a message for everything, and perhaps several commits. */
import { type CommitType, MAX_SUBJECT, type Message, type Proposal, titleOf, TYPES } from './message.ts';
import type { StagedFile } from './staged.ts';

/** What is proposed: one commit, and where the files have several concerns, those apart. */
export interface Answer {
  readonly single: Message;
  readonly split?: readonly Proposal[];
}

/** The proposal in an answer, or what is wrong with it. */
export function readAnswer(text: string, files: readonly StagedFile[]): Answer | { readonly problem: string } {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  let value: unknown;
  try {
    value = JSON.parse(text.slice(start, end + 1));
  } catch {
    return { problem: 'it is not a JSON object' };
  }
  if (!isRecord(value)) return { problem: 'it is not a JSON object' };
  const single = readMessage(value['single'] ?? value);
  if ('problem' in single) return single;
  const listed = Array.isArray(value['commits']) ? (value['commits'] as unknown[]) : [];
  if (listed.length < 2) return { single };
  const split = readSplit(listed, files);
  if ('problem' in split) return split;
  return split.length < 2 ? { single } : { single, split };
}

function readSplit(
  listed: readonly unknown[],
  files: readonly StagedFile[],
): Proposal[] | { readonly problem: string } {
  const left = new Set(files.map(({ path }) => path));
  const commits: { message: Message; files: string[] }[] = [];
  for (const entry of listed) {
    if (!isRecord(entry) || !Array.isArray(entry['files'])) return { problem: 'an entry of "commits" has no "files"' };
    const message = readMessage(entry['message']);
    if ('problem' in message) return message;
    // A file that is named twice, or not at all there, must not get lost or be committed twice.
    const own = entry['files'].filter((name): name is string => typeof name === 'string' && left.delete(name));
    if (own.length > 0) commits.push({ message, files: own });
  }
  const last = commits.at(-1);
  if (last) last.files.push(...left);
  return commits;
}

function readMessage(value: unknown): Message | { readonly problem: string } {
  if (!isRecord(value)) return { problem: 'a message is not an object' };
  const text = (key: string): string | undefined => {
    const field = value[key];
    return typeof field === 'string' && field.trim() !== '' ? field.trim() : undefined;
  };
  const type = text('type');
  if (!isType(type)) return { problem: `the type "${type ?? ''}" is none of ${TYPES.join(', ')}` };
  const subject = text('subject')?.split('\n')[0]?.replace(/\.$/, '').trim();
  if (subject === undefined || subject === '') return { problem: 'a message has no subject' };
  const scope = text('scope')?.replace(/[^\w./-]+/g, '-');
  const [body, breaking, changelog] = [text('body'), text('breaking'), text('changelog')];
  const message: Message = {
    type,
    subject,
    ...(scope !== undefined && { scope }),
    ...(body !== undefined && { body }),
    ...(breaking !== undefined && { breaking }),
    ...(changelog !== undefined && { changelog: changelog.replace(/\s+/g, ' ') }),
  };
  const { length } = titleOf(message);
  return length > MAX_SUBJECT
    ? { problem: `a first line has ${length} characters, more than ${MAX_SUBJECT}` }
    : message;
}

function isType(text: string | undefined): text is CommitType {
  return TYPES.some((type) => type === text);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
