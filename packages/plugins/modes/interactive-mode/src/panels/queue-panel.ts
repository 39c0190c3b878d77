/** Messages that wait for the agent. */
import type { WaitingMessage } from '@tenon/agent/api';
import type { Component } from '@tenon/screen';
import { plainLine } from '@tenon/wording';
import { fitted, type PanelLook } from './panel-look.ts';

/** What the panel shows. */
export interface QueueFacts {
  messages(): readonly Pick<WaitingMessage, 'text' | 'deliverAs'>[];
  /** The key that takes the last one back into the editor, as it is shown. */
  key?(): string | undefined;
}

const MOST_ROWS = 4;
const WORDS = { steer: 'soon', followUp: 'when it is done' } as const;

/** Shows what waits; nothing when nothing does. */
export class QueuePanel implements Component {
  readonly #look: PanelLook;
  readonly #facts: QueueFacts;

  constructor(look: PanelLook, facts: QueueFacts) {
    this.#look = look;
    this.#facts = facts;
  }

  render(width: number): string[] {
    const messages = this.#facts.messages();
    if (messages.length === 0) return [];
    const { theme } = this.#look;
    const shown = messages.slice(-MOST_ROWS);
    const key = this.#facts.key?.();
    const rows = shown.map(({ text, deliverAs }, index) => {
      const isLast = index === shown.length - 1;
      const how = isLast && key !== undefined ? theme.fg('dim', ` (${key} edits it)`) : '';
      const when = theme.fg('muted', `${WORDS[deliverAs]}:`);
      return `${theme.fg('accent', '↳')} ${when} ${plainLine(text.slice(0, 500))}${how}`;
    });
    const hidden = messages.length - shown.length;
    return fitted(this.#look, [...(hidden > 0 ? [theme.fg('dim', `… ${hidden} more before`)] : []), ...rows], width);
  }
}
