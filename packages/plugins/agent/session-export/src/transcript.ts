/** A session as text for a terminal. */
import { plainLine, plainText } from '@tenon/wording';
import { failureText } from '@tenon/models/api';
import type { AgentMessage, Session, SessionEntry } from '@tenon/sessions/api';

/** The active branch, message by message. */
export function transcript(session: Session): string {
  return session.branch().map(entryText).filter(Boolean).join('\n');
}

function entryText(entry: SessionEntry): string {
  if (entry.type === 'message') return messageText(entry.message);
  if (entry.type === 'custom_message') return entry.display ? section(entry.customType, textOf(entry.content)) : '';
  if (entry.type === 'compaction' || entry.type === 'branch_summary') return section('summary', entry.summary);
  return '';
}

function messageText(message: AgentMessage): string {
  switch (message.role) {
    case 'user':
    case 'custom':
      return section(message.role, textOf(message.content));
    case 'assistant': {
      const parts = message.content.flatMap((block) => {
        if (block.type === 'text') return [block.text];
        return block.type === 'toolCall' ? [`[calls ${block.name} ${JSON.stringify(block.arguments)}]`] : [];
      });
      return section(
        'assistant',
        [...parts, message.errorMessage === undefined ? '' : failureText(message)].filter(Boolean).join('\n'),
      );
    }
    case 'toolResult':
      return section(`${message.toolName}${message.isError ? ' failed' : ''}`, textOf(message.content));
    case 'bashExecution':
      return section(`$ ${message.command}`, message.output);
    case 'fileMention':
      return section('files', message.files.map(({ path }) => path).join('\n'));
    case 'branchSummary':
    case 'compactionSummary':
      return section('summary', message.summary);
  }
}

type Content = string | readonly { readonly type: string; readonly text?: string }[];

function textOf(content: Content): string {
  return typeof content === 'string' ? content : content.map(({ type, text }) => text ?? `[${type}]`).join('\n');
}

function section(title: string, text: string): string {
  return `── ${plainLine(title)}\n${plainText(text).trimEnd()}\n`;
}

/** One entry of the tree, as a program gets it. */
export interface TreeEntry {
  readonly id: string;
  readonly parentId: string | null;
  readonly type: string;
  readonly timestamp: string;
  readonly active: boolean;
  readonly label: string | null;
  /** The beginning of what it says. */
  readonly text: string;
}

interface Placed extends TreeEntry {
  readonly depth: number;
}

/** All branches, depth first, as the tree shows them. */
function* placed(session: Session): Generator<Placed> {
  const active = new Set(session.path().map(({ id }) => id));
  const labels = session.labels();
  const waiting = session
    .children(null)
    .map((entry) => ({ entry, depth: 0 }))
    .reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { entry, depth } = next;
    const { id, parentId, type, timestamp } = entry;
    const said = entryText(entry).split('\n').slice(0, 2).join(' ').replace('── ', '') || type;
    const text = plainLine(said).slice(0, 100);
    yield { id, parentId, type, timestamp, active: active.has(id), label: labels.get(id) ?? null, text, depth };
    const below = session.children(id);
    waiting.push(...below.map((child) => ({ entry: child, depth: below.length > 1 ? depth + 1 : depth })).reverse());
  }
}

/** All branches, for a program. */
export function treeEntries(session: Session): TreeEntry[] {
  return [...placed(session)].map(({ depth: _depth, ...entry }) => entry);
}

/** All branches, a line for each entry; the active one is marked. */
export function treeText(session: Session): string {
  return [...placed(session)]
    .map(({ id, active, label, text, depth }) => {
      const mark = label === null ? '' : `[${plainLine(label)}] `;
      return `${active ? '*' : ' '} ${id} ${'  '.repeat(depth)}${mark}${text}\n`;
    })
    .join('');
}
