/** Between the shapes of Tenon and those of pi, where they differ. */
import type { Model } from '@tenon/models/api';
import type { SessionEntry } from '@tenon/sessions/api';

type Fields = Readonly<Record<string, unknown>>;

/** A model as pi has it. */
export function piModel(model: Model): Fields {
  const { price, quirks: _quirks, headers: _headers, onlyByName: _onlyByName, ...rest } = model;
  return {
    ...rest,
    baseUrl: model.baseUrl ?? '',
    cost: price ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
}

/** An entry as pi has it: a model has two parts there. */
export function piEntry(entry: SessionEntry): Fields {
  if (entry.type !== 'model_change') return { ...entry };
  const at = entry.model.indexOf('/');
  return { ...entry, provider: entry.model.slice(0, at), modelId: entry.model.slice(at + 1) };
}

/** The text of a message's content. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as Fields[]).flatMap((block) => (block['type'] === 'text' ? [String(block['text'])] : [])).join('\n');
}
