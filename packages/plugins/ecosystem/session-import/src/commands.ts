/** `tenon session import` */
import type { CommandCall } from '@tenon/command-line/api';
import type { Folders } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import type { ModelRegistry } from '@tenon/models/api';
import type { SessionStore } from '@tenon/sessions/api';
import { counted, plainLine, timeAgo } from '@tenon/wording';
import { AGENT_NAMES, type AgentId, type Conversation, type Found } from './conversation.ts';
import { errors } from './errors.ts';
import { findConversation, findConversations, peekConversation, readConversation, type Wanted } from './find.ts';
import { importsOf, isUpToDate, parentOf, provenanceOf, writeSession } from './write.ts';

/** Of larger ones, the list reads the beginning only. */
const MAX_LOOK_BYTES = 32 * 1024 * 1024;
const MAX_PROMPT = 200;
const MIN_ID = 10;

/** What the commands work with. */
export interface Parts {
  readonly store: SessionStore;
  readonly folders: Pick<Folders, 'home'>;
  models(): Promise<Pick<ModelRegistry, 'find'>>;
}

/** Lists conversations, or imports one. */
export async function importSession(parts: Parts, call: CommandCall): Promise<void> {
  const { args, flags, cwd } = call;
  const from = typeof flags['from'] === 'string' ? (flags['from'] as AgentId) : undefined;
  const wanted: Wanted = { home: parts.folders.home, variables: process.env, ...(from && { from }) };
  const named = args['conversation'];
  if (typeof named !== 'string') {
    return listConversations(parts, call, flags['all'] === true ? wanted : { ...wanted, cwd });
  }
  return importOne(parts, call, await findConversation(named, cwd, wanted));
}

/** One line of the list. */
interface Listed {
  readonly agent: AgentId;
  readonly id: string;
  readonly title: string | null;
  readonly firstPrompt: string | null;
  readonly modified: string;
  /** Prompts, answers and summaries; null where nobody counted. */
  readonly messages: number | null;
  readonly cwd: string | null;
  readonly file: string;
  /** The session that was made of it. */
  readonly session: string | null;
  readonly problem?: string;
}

async function listConversations(parts: Parts, { flags, io }: CommandCall, wanted: Wanted): Promise<void> {
  const limit = limitIn(flags);
  const found = await findConversations(wanted);
  const sessions = new Map((await parts.store.list()).map(({ parentSession = '', id }) => [parentSession, id]));
  const listed: Listed[] = [];
  for (const one of found) {
    if (listed.length >= limit) break;
    const line = await look(one, sessions.get(parentOf(one)));
    if (line.messages !== 0 || line.problem !== undefined) listed.push(line);
  }
  if (flags['json']) return io.json(listed);
  if (listed.length === 0) {
    const where = wanted.cwd === undefined ? 'on this machine' : 'in this folder; --all shows those of other folders';
    return io.err(`No other agent has a conversation ${where}.\n`);
  }
  const width = Math.max(60, io.width);
  const short = shortIds(found.map(({ id }) => id));
  const lines = listed.map((line) => lineOf(line, short, wanted.cwd === undefined).slice(0, width));
  await io.out(`${lines.join('\n')}\n`);
  if (io.terminal) await io.err('Make a session of one: tenon session import ID\n');
}

/** The shortest beginnings that tell ids apart; at least so long that they still do tomorrow. */
function shortIds(ids: readonly string[]): (id: string) => string {
  const sorted = [...new Set(ids)].toSorted();
  const alike = (a: string, b = '') => {
    const differs = [...a].findIndex((letter, at) => letter !== b[at]);
    return differs === -1 ? a.length : differs;
  };
  return (id) => {
    const at = sorted.indexOf(id);
    const longest = Math.max(alike(id, sorted[at - 1]), alike(id, sorted[at + 1]));
    return id.slice(0, Math.max(MIN_ID, longest + 1));
  };
}

function lineOf(line: Listed, short: (id: string) => string, all: boolean): string {
  const { agent, id, title, firstPrompt, modified, messages, cwd, session, problem } = line;
  const about = plainLine(problem ?? title ?? firstPrompt ?? '(no prompt)');
  const size = messages === null ? 'large' : String(messages);
  const mark = session === null ? '' : `(imported) `;
  const folder = all ? `${plainLine(cwd ?? '?')}  ` : '';
  return `${agent.padEnd(6)}  ${plainLine(short(id)).padEnd(MIN_ID)}  ${modified.slice(0, 16).replace('T', ' ')}  ${size.padStart(5)}  ${folder}${mark}${about}`;
}

async function look(found: Found, session: string | undefined): Promise<Listed> {
  const { agent, id, files, modifiedMs, cwd = null } = found;
  const known = {
    agent,
    id,
    modified: new Date(modifiedMs).toISOString(),
    file: files.at(-1) ?? '',
    session: session ?? null,
  };
  const nothing = { title: null, firstPrompt: null, messages: null, cwd: isPath(cwd) ? cwd : null };
  try {
    const isLarge = found.bytes > MAX_LOOK_BYTES;
    const conversation = isLarge ? await peekConversation(found) : await readConversation(found);
    if (!conversation) return { ...known, ...nothing };
    return {
      ...known,
      title: conversation.title ?? null,
      firstPrompt: firstPrompt(conversation) ?? null,
      messages: isLarge ? null : conversation.pieces.length,
      cwd: conversation.cwd ?? nothing.cwd,
    };
  } catch (fault) {
    return { ...known, ...nothing, problem: messageOf(fault) };
  }
}

function isPath(cwd: string | null): boolean {
  return cwd !== null && !cwd.startsWith('sha256:');
}

function firstPrompt({ pieces }: Conversation): string | undefined {
  const first = pieces.find((piece) => piece.kind === 'user');
  const texts = first?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? [];
  return texts.join(' ').slice(0, MAX_PROMPT) || undefined;
}

async function importOne({ store, models }: Parts, { flags, io, cwd }: CommandCall, found: Found): Promise<void> {
  const conversation = await readConversation(found);
  if (conversation.pieces.length === 0) throw errors.create('IMPORT_EMPTY', { file: found.files.at(-1) ?? '' });
  const now = provenanceOf(found, conversation);
  const before = await importsOf(store, found);
  for (const summary of before) {
    if (!(await isUpToDate(store, summary, now))) continue;
    if (flags['json']) return io.json({ id: summary.id, file: summary.file, imported: false, findings: [] });
    await io.out(
      `This conversation was imported before, as session ${summary.id}; nothing new was said in it since.\n${goOn(summary.id)}`,
    );
    return;
  }
  const session = await writeSession(store, found, conversation, cwd);
  const { default: model } = session.context().models;
  await session.close();
  const { findings } = conversation;
  const messages = now.messages;
  if (flags['json']) return io.json({ id: session.id, file: session.file, imported: true, messages, findings });
  const [earlier] = before;
  const what = `Imported ${counted(messages, 'message')} of ${AGENT_NAMES[found.agent]} as session ${session.id}.\n`;
  const again = earlier
    ? `More was said since the last import: session ${earlier.id}, of ${timeAgo(earlier.created)}, stays as it is.\n`
    : '';
  const isThere = model === undefined || (await isAvailable(await models(), model));
  const choose = isThere
    ? ''
    : `Its model ${plainLine(model)} is not available here: add --model, see \`tenon models list\`.\n`;
  await io.out(`${what}${again}${goOn(session.id)}${choose}`);
  for (const finding of findings) await io.err(`Not imported whole: ${plainLine(finding)}.\n`);
}

/** Whether a session whose last answer came from this model goes on with it. */
async function isAvailable(models: Pick<ModelRegistry, 'find'>, wanted: string): Promise<boolean> {
  const match = await models.find(wanted);
  return match !== undefined && wanted.startsWith(`${match.model.provider}/`);
}

function goOn(id: string): string {
  return `Go on with it: tenon --resume ${id}\n`;
}

function limitIn(flags: CommandCall['flags']): number {
  const value = typeof flags['limit'] === 'string' ? flags['limit'] : '20';
  const limit = Number(value);
  if (!Number.isInteger(limit) || limit < 1) throw errors.create('IMPORT_LIMIT', { limit: value });
  return limit;
}
