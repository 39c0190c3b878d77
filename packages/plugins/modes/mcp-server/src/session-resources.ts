/** Sessions as resources: a list, and each as readable text. */
import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import { TenonError } from '@tenon/kernel';
import type { AgentMessage, Session, SessionStore } from '@tenon/sessions/api';
import { SESSION_URI } from './api.ts';

const MOST_SESSIONS = 100;
const MAX_CHARS = 400_000;
const MAX_TOOL_CHARS = 2_000;

/** The sessions of a folder, newest first. */
export async function listSessions(store: SessionStore, cwd: string): Promise<Resource[]> {
  const sessions = await store.list({ cwd, limit: MOST_SESSIONS });
  return sessions.map(({ id, title, firstPrompt, modified, bytes }) => ({
    uri: SESSION_URI + id,
    name: (title ?? firstPrompt ?? id).replace(/\s+/g, ' ').slice(0, 120),
    description: `Session of ${modified}`,
    mimeType: 'text/markdown',
    size: bytes,
  }));
}

/** One session as Markdown; undefined when there is none behind the address. */
export async function readSession(store: SessionStore, uri: string): Promise<ReadResourceResult | undefined> {
  if (!uri.startsWith(SESSION_URI)) return undefined;
  const id = uri.slice(SESSION_URI.length);
  const session = await openSession(store, id);
  if (!session) return undefined;
  try {
    const messages = session.context().messages.map(toMarkdown).filter(Boolean);
    const text = [`# Session ${session.id}`, ...messages].join('\n\n');
    // The end is what whoever reads it goes on from.
    const cut = text.length > MAX_CHARS ? `[… the beginning is left out]\n${text.slice(-MAX_CHARS)}` : text;
    return { contents: [{ uri, mimeType: 'text/markdown', text: cut }] };
  } finally {
    await session.close();
  }
}

/** The file of a session, to watch it; undefined when the address names none. */
export async function sessionFile(store: SessionStore, uri: string): Promise<string | undefined> {
  const session = uri.startsWith(SESSION_URI) ? await openSession(store, uri.slice(SESSION_URI.length)) : undefined;
  await session?.close();
  return session?.file;
}

/** Ids only: a client must not open files by their path. */
async function openSession(store: SessionStore, id: string): Promise<Session | undefined> {
  if (!isSessionId(id)) return undefined;
  return store.open(id, { readOnly: true }).catch((fault: unknown) => {
    if (fault instanceof TenonError && fault.code === 'SESSION_NOT_FOUND') return undefined;
    throw fault;
  });
}

/** Whether a text can be the id of a session, and not the path of a file. */
export function isSessionId(id: string): boolean {
  return /^[\w-]{1,100}$/.test(id);
}

function toMarkdown(message: AgentMessage): string {
  if (message.role === 'user') return `## User\n\n${textOf(message.content)}`;
  if (message.role === 'toolResult') {
    const text = textOf(message.content);
    const cut = text.length > MAX_TOOL_CHARS ? `${text.slice(0, MAX_TOOL_CHARS)}\n[…]` : text;
    return `### Result of ${message.toolName}${message.isError ? ' (failed)' : ''}\n\n${cut}`;
  }
  if (message.role !== 'assistant') return '';
  const parts = message.content.flatMap((part) => {
    if (part.type === 'text') return [part.text];
    return part.type === 'toolCall' ? [`Calls \`${part.name}\` with \`${JSON.stringify(part.arguments)}\``] : [];
  });
  return `## Assistant\n\n${parts.join('\n\n')}`;
}

function textOf(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => part.text ?? `[${part.type}]`).join('\n');
}
