/** What a models file says, as plain values. Two plugins ask for it at every start, so the last answer is kept. */
let last: { readonly text: string; readonly value: unknown } | undefined;

/** Parses YAML. JSON is YAML as well, and needs no parser of ours. Rejects with the parser's message. */
export async function parseModelsText(text: string): Promise<unknown> {
  if (last?.text !== text) last = { text, value: fromJson(text) ?? (await fromYaml(text)) };
  return last.value;
}

function fromJson(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // `{a: 1}` is YAML, and its parser says best what is wrong with the rest.
  }
}

async function fromYaml(text: string): Promise<unknown> {
  return (await import('./yaml-text.ts')).parse(text);
}
