/** The row at the foot: what answers, how full its context is, what it has cost, where it works. */
import type { AgentSession } from '@tenon/agent/api';
import type { Theme } from '@tenon/components';
import type { TextColumns } from '@tenon/screen';
import type { StatusItem } from '@tenon/screen-slots/api';

/** A part of the row and where it stands. */
export interface PlacedItem {
  readonly name: string;
  readonly item: StatusItem;
  readonly side: 'left' | 'right';
}

/** What the row is made of. */
export interface StatusParts {
  agent(): AgentSession | undefined;
  theme(): Theme;
  items(): readonly PlacedItem[];
  /** Texts that extensions have set. */
  texts(): readonly string[];
  readonly text: TextColumns & { truncate(text: string, width: number): string };
}

const SEPARATOR = ' · ';

/** Draws the row; parts that do not fit are left out from the end of each side. */
export function statusRow(parts: StatusParts, width: number): string {
  const agent = parts.agent();
  const theme = parts.theme();
  const shown = agent
    ? parts.items().flatMap(({ item, side }) => {
        const text = item.text({ agent, theme });
        return text === undefined || text === '' ? [] : [{ side, text }];
      })
    : [];
  const of = (side: 'left' | 'right') => shown.filter((part) => part.side === side).map(({ text }) => text);
  const left = [...of('left'), ...parts.texts()];
  const right = of('right');
  const joined = (texts: readonly string[]) => texts.join(theme.fg('dim', SEPARATOR));
  const wide = (texts: readonly string[]) => parts.text.width(joined(texts));
  while (right.length > 0 && wide(left) + wide(right) + 2 > width) right.shift();
  while (left.length > 1 && wide(left) + (right.length > 0 ? wide(right) + 2 : 0) > width) left.pop();
  const gap = Math.max(1, width - wide(left) - wide(right));
  const row = right.length === 0 ? joined(left) : `${joined(left)}${' '.repeat(gap)}${joined(right)}`;
  return parts.text.truncate(row, width);
}
