/** What an extension offers while the user types, checked. */
import type { Completion, CompletionList } from '@tenon/host';
import { plainLine } from '@tenon/wording';

const MAX_ITEMS = 100;
const MAX_CHARS = 2_000;

/** Completions as a screen shows them; nothing when the answer has none. */
export function completionsOf(answer: unknown): CompletionList | undefined {
  const { items, prefix } = (answer ?? {}) as { items?: unknown; prefix?: unknown };
  if (!Array.isArray(items)) return undefined;
  const checked = items.slice(0, MAX_ITEMS).flatMap((item: unknown): Completion[] => {
    const { value, label, description } = (item ?? {}) as Record<string, unknown>;
    if (typeof value !== 'string') return [];
    const about = typeof description === 'string' ? plainLine(description.slice(0, MAX_CHARS)) : undefined;
    return [
      {
        value: value.slice(0, MAX_CHARS),
        label: plainLine(typeof label === 'string' ? label.slice(0, MAX_CHARS) : value),
        ...(about !== undefined && { description: about }),
      },
    ];
  });
  return checked.length === 0 ? undefined : { items: checked, prefix: typeof prefix === 'string' ? prefix : '' };
}
