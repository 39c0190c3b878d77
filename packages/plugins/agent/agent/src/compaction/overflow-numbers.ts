/** What providers count when they refuse a conversation: how many tokens it has, and how many they take. */

/** As far as the words say it. */
export interface OverflowNumbers {
  /** How many tokens the request has, without the answer. */
  readonly counted?: number;
  /** How many fit. */
  readonly limit?: number;
  /** How many are too many. */
  readonly excess?: number;
}

type Name = keyof OverflowNumbers;

/** Each pattern names its groups in order. The first that fits decides; each stands for what several providers say. */
const WORDS: readonly (readonly [RegExp, ...Name[]])[] = [
  // Anthropic: "188240 + 21333 > 200000", "210000 tokens > 200000 maximum".
  [/(\d+) \+ \d+ > (\d+)/, 'counted', 'limit'],
  [/(\d+) tokens > (\d+)/, 'counted', 'limit'],
  // llama.cpp: "request (2465 tokens) exceeds the available context size (2048 tokens)"; Together, Gemini.
  [/\((\d+)(?: tokens)?\) (?:exceeds|is longer than)[^(]*\((\d+)(?: tokens)?\)/, 'counted', 'limit'],
  // OpenAI and vLLM: "maximum context length is 8 tokens. However, you requested 9 tokens (7 in the messages, 2 in the completion)".
  [/maximum context length is (\d+) tokens\b.*?\((\d+) in (?:the|your) (?:messages|prompt|input)/, 'limit', 'counted'],
  [/maximum context length is (\d+) tokens\b.*?resulted in (\d+) tokens/, 'limit', 'counted'],
  [/maximum context length is (\d+) tokens\b.*?(?:has|contains|least) (\d+) (?:input )?tokens/, 'limit', 'counted'],
  [/\(length (\d+)\) is longer than the maximum model length of (\d+)/, 'counted', 'limit'],
  // xAI, Mistral, Copilot, Moonshot, Fireworks.
  [/maximum prompt length is (\d+) but the request contains (\d+)/, 'limit', 'counted'],
  [/contains (\d+) tokens\b.*?with (\d+) maximum/, 'counted', 'limit'],
  [/token count of (\d+) exceeds the limit of (\d+)/, 'counted', 'limit'],
  [/token limit: (\d+) \(requested: (\d+)\)/, 'limit', 'counted'],
  [/too long: (\d+), model maximum context length: (\d+)/, 'counted', 'limit'],
  // Ollama: "exceeded max context length by 4 tokens".
  [/context length by (\d+) tokens/, 'excess'],
  [/maximum (?:context|prompt) length is (\d+)/, 'limit'],
];

/** Reads the numbers out of a refusal. */
export function overflowNumbers(text: string): OverflowNumbers {
  const plain = text.replace(/(?<=\d),(?=\d{3}\b)/g, '');
  for (const [pattern, ...names] of WORDS) {
    const match = new RegExp(pattern.source, 'is').exec(plain);
    if (match) return Object.fromEntries(names.map((name, at) => [name, Number(match[at + 1])]));
  }
  return {};
}
