/**
 * Summaries of conversations, for the agent's compaction. A rule cannot say what mattered, but it can keep what the user
 * asked for, what was called and what came out, each in a line.
 */
import type { ModelMessage } from '@tenon/models/api';

const MAX_LINE = 240;
const MAX_ITEMS = 40;

/** The summary that a request asks for; undefined when it does not ask for one. */
export function summaryFor(messages: readonly ModelMessage[], toolCount: number): string | undefined {
  const [only] = messages;
  if (toolCount > 0 || messages.length !== 1 || only?.role !== 'user') return undefined;
  const text =
    typeof only.content === 'string'
      ? only.content
      : only.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const conversation = /<conversation>\n([\s\S]*?)\n<\/conversation>/.exec(text)?.[1];
  const earlier = /<previous-summary>\n([\s\S]*?)\n<\/previous-summary>/.exec(text)?.[1];
  if (conversation !== undefined) return summarize(conversation, earlier);
  const summary = /<summary>\n([\s\S]*?)\n<\/summary>/.exec(text)?.[1];
  return summary === undefined ? undefined : title(summary);
}

interface Paragraph {
  readonly who: string;
  readonly text: string;
}

function paragraphs(conversation: string): Paragraph[] {
  const parts = conversation.split(/^(?=\[(?:User|Agent|Agent's thoughts|Agent calls [^\]]+|Result of [^\]]+)\]: )/m);
  return parts.flatMap((part) => {
    const [, who, text] = /^\[([^\]]+)\]: ([\s\S]*)$/.exec(part.trim()) ?? [];
    return who === undefined || text === undefined ? [] : [{ who, text }];
  });
}

function summarize(conversation: string, earlier: string | undefined): string {
  const all = paragraphs(conversation);
  const prompts = all.filter(({ who }) => who === 'User').map(({ text }) => `- ${oneLine(text)}`);
  const answers = all.filter(({ who }) => who === 'Agent').map(({ text }) => `- ${oneLine(text)}`);
  const calls = all
    .filter(({ who }) => who.startsWith('Agent calls '))
    .map(({ who, text }) => `- ${who.slice(12)} ${oneLine(text)}`);
  const failures = all
    .filter(({ who }) => /^Result of .*, failed$/.test(who))
    .map(({ who, text }) => `- ${who.slice(10)}: ${oneLine(text)}`);
  const section = (name: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', `## ${name}`, ...latest(lines)];
  return [
    ...(earlier === undefined ? [] : ['## Before', shortened(earlier, 4_000)]),
    ...section('Goal', prompts),
    ...section('State', answers),
    ...section('Facts', calls),
    ...section('Failures', failures),
  ]
    .join('\n')
    .trim();
}

function latest(lines: readonly string[]): string[] {
  const omitted = lines.length - MAX_ITEMS;
  return omitted > 0 ? [`- (${omitted} earlier ones left out)`, ...lines.slice(-MAX_ITEMS)] : [...lines];
}

function title(summary: string): string {
  const goal = /## Goal\n- (.+)/.exec(summary)?.[1] ?? summary;
  return oneLine(goal).split(' ').slice(0, 15).join(' ');
}

function oneLine(text: string): string {
  return shortened(text.replace(/\s+/g, ' ').trim(), MAX_LINE);
}

function shortened(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
