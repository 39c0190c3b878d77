/** Puts facts into a conversation when its prompt is about them. They are data beside the prompt, never part of the system prompt. */
import type { AgentSession, RunStart } from '@tenon/agent/api';
import type { CustomMessage } from '@tenon/sessions/api';
import type { FactSource, Recalled } from './api.ts';
import { terms } from './bank/terms.ts';
import { factLines } from './fact-text.ts';
import type { BankMemory } from './memory-service.ts';
import { prompts } from './prompts/index.ts';

/** The `customType` of the message with what is remembered. */
export const REMEMBERED = 'memory';

/** About how many characters a token has. */
const CHARS_PER_TOKEN = 4;
const MAX_FACTS = 6;
const MAX_FACT_CHARS = 300;
/** The part of a fact's words that the prompt must share. */
const LEAST_SHARE = 0.2;
/** A fact this near needs no shared word. */
const VERY_NEAR = 0.6;

/** How much is put into conversations, and whose words. */
export interface InjectionSettings {
  readonly tokens: number;
  readonly from: 'user' | 'agent' | 'all';
}

const SOURCES: Readonly<Record<InjectionSettings['from'], readonly FactSource[]>> = {
  user: ['user'],
  agent: ['user', 'agent'],
  all: ['user', 'agent', 'outside'],
};

/** The message for a run that begins; nothing when nothing that is remembered is about its prompt. */
export async function remembered(
  memory: BankMemory,
  { prompt, cwd }: RunStart & { readonly cwd: string },
  agent: AgentSession | undefined,
  { tokens, from }: InjectionSettings,
): Promise<CustomMessage | undefined> {
  if (tokens <= 0 || (await memory.isEmpty(cwd))) return undefined;
  const found = await memory.recall(cwd, prompt, { limit: MAX_FACTS * 3, sources: SOURCES[from] });
  const told = toldIn(agent);
  const fitting = found.filter((match) => !told.has(match.fact.id) && isAbout(match)).slice(0, MAX_FACTS);
  const facts = fitting.map(({ fact }) => fact);
  const lines = factLines(facts, { chars: tokens * CHARS_PER_TOKEN, each: MAX_FACT_CHARS });
  if (lines.length === 0) return undefined;
  return {
    role: 'custom',
    customType: REMEMBERED,
    content: prompts.remembered({ facts: lines.join('\n') }),
    display: true,
    attribution: 'agent',
    details: { facts: facts.map(({ id, source }) => ({ id, source })) },
    timestamp: Date.now(),
  };
}

/** Two words in common, or one with a number in it: that both speak of a function is no reason to bring a fact up. */
function isAbout({ fact, shared, nearness = -1 }: Recalled): boolean {
  if (nearness >= VERY_NEAR) return true;
  const size = terms(fact.text).size;
  if (shared.length / Math.max(1, size) < LEAST_SHARE) return false;
  return shared.length >= 2 || shared.some((term) => /\d/.test(term));
}

/** The facts that this conversation was told already. */
function toldIn(agent: AgentSession | undefined): ReadonlySet<string> {
  const told = new Set<string>();
  for (const { id, type } of agent?.session.path() ?? []) {
    if (type !== 'custom_message') continue;
    const entry = agent?.session.entry(id);
    if (entry?.type !== 'custom_message' || entry.customType !== REMEMBERED) continue;
    const { facts = [] } = (entry.details ?? {}) as { readonly facts?: readonly { readonly id: string }[] };
    for (const fact of facts) told.add(fact.id);
  }
  return told;
}
