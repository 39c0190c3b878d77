/**
 * Who said what a model wants to keep. The model is not asked: a page that it read may have told it what to answer. The words of the fact
 * are compared with what the user said and with what tools gave back.
 */
import type { AgentSession } from '@tenon/agent/api';
import type { AgentMessage, SessionEntry } from '@tenon/sessions/api';
import { plainText } from '@tenon/wording';
import type { FactSource } from './api.ts';
import { terms, words } from './bank/terms.ts';

/** How much of a conversation is looked at, from its end. */
const MAX_ENTRIES = 2_000;
const MAX_CHARS = 4_000_000;
/** The part of a fact's words that the user must have said, in one message. */
const USER_SHARE = 0.6;
/** The part of a fact's runs of three words that makes it a quotation. */
const QUOTE_SHARE = 0.5;
const RUN = 3;

/** What was said in a conversation, by who said it. */
export interface Said {
  readonly user: readonly string[];
  readonly outside: readonly string[];
}

/** What the active branch of a session holds. Prompts of a subagent were written by a model, so that they are no words of the user. */
export function saidIn(agent: AgentSession): Said {
  const user: string[] = [];
  const outside: string[] = [];
  const isChild = agent.parent !== undefined;
  let left = MAX_CHARS;
  let entries = MAX_ENTRIES;
  for (const entry of agent.session.walk()) {
    if (entries-- <= 0 || left <= 0) break;
    const { from, text } = textOf(entry);
    left -= text.length;
    if (text === '' || from === 'agent') continue;
    if (from === 'outside') outside.push(text);
    else if (!isChild) user.push(text);
  }
  return { user, outside };
}

/** Where the words of a fact come from. */
export function sourceOf(fact: string, { user, outside }: Said): FactSource {
  const reach = reaching(flat(fact));
  const holdsAll = (text: string) => reach.every((word) => flat(text).includes(word));
  const wanted = terms(fact);
  if (user.some((text) => share(wanted, terms(text)) >= USER_SHARE && holdsAll(text))) return 'user';
  const runs = runsOf(fact);
  if (outside.some((text) => share(runs, runsOf(text)) >= QUOTE_SHARE)) return 'outside';
  const isTheirs = (text: string) => reach.some((word) => flat(text).includes(word));
  return outside.some(isTheirs) && !user.some(holdsAll) ? 'outside' : 'agent';
}

/** The text without what nobody sees and what only looks different. */
function flat(text: string): string {
  return plainText(text).normalize('NFKC').toLowerCase();
}

function share(of: ReadonlySet<string>, within: ReadonlySet<string>): number {
  if (of.size === 0) return 0;
  return [...of].filter((word) => within.has(word)).length / of.size;
}

function runsOf(text: string): Set<string> {
  const all = words(text);
  if (all.length < RUN) return new Set(all.length === 0 ? [] : [all.join(' ')]);
  return new Set(all.slice(RUN - 1).map((_, index) => all.slice(index, index + RUN).join(' ')));
}

/** Endings of files, which look like those of hosts. */
const FILE_ENDING =
  /\.(?:[cm]?[jt]sx?|jsonc?|md|txt|ya?ml|toml|lock|rs|go|py|rb|java|kt|cc?|cpp|hh?|cs|sh|html?|css|scss|svg|png|sql|xml|ini|cfg|conf|env|log)$/;

/** What makes a fact dangerous: addresses, and commands. Who wrote these wrote the fact, however the rest is worded. */
function reaching(fact: string): readonly string[] {
  const quoted = [...fact.matchAll(/`([^`]+)`/g)].flatMap(([, inner = '']) =>
    inner.trim().includes(' ') ? [inner.trim()] : [],
  );
  const addresses = fact.match(/[a-z][a-z\d+.-]*:\/\/[^\s`"'<>)]+/g) ?? [];
  const hosts = (fact.match(/\b(?:[\w-]+\.)+[a-z]{2,}\b|\b\d{1,3}(?:\.\d{1,3}){3}\b/g) ?? []).filter(
    (host) => !FILE_ENDING.test(host),
  );
  const piped = fact.match(/\S+\s*(?:\||&&|\$\()\s*\S+/g) ?? [];
  const found = [...quoted, ...addresses, ...hosts, ...piped].map((word) => word.replace(/[.,;:!?]+$/, ''));
  return [...new Set(found)].filter(Boolean);
}

function textOf(entry: SessionEntry): { readonly from: FactSource; readonly text: string } {
  // What plugins put into a conversation is nobody's word: what was remembered would else become the user's by being shown.
  if (entry.type === 'custom_message') return { from: 'outside', text: contentText(entry.content) };
  if (entry.type !== 'message') return { from: 'agent', text: '' };
  return messageText(entry.message);
}

function messageText(message: AgentMessage): { readonly from: FactSource; readonly text: string } {
  switch (message.role) {
    case 'user':
      return { from: 'user', text: contentText(message.content) };
    case 'toolResult':
      return { from: 'outside', text: contentText(message.content) };
    case 'bashExecution':
      return { from: 'outside', text: message.output };
    case 'fileMention':
      return { from: 'outside', text: message.files.map(({ content }) => content).join('\n') };
    default:
      return { from: 'agent', text: '' };
  }
}

function contentText(content: string | readonly { readonly type: string }[]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => ('text' in part && typeof part.text === 'string' ? part.text : '')).join('\n');
}
