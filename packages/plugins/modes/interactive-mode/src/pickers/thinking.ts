/** How hard the model thinks. */
import { THINKING_LEVELS, type ThinkingLevel } from '@tenon/models/api';
import type { Seat } from '../seat.ts';
import { chooseOne, closingHints } from './list-picker.ts';
import { reporting } from './small-dialogs.ts';

const DETAILS: Readonly<Record<ThinkingLevel, string>> = {
  off: 'answers at once',
  minimal: 'thinks very briefly',
  low: 'thinks a little',
  medium: 'thinks for a while',
  high: 'thinks thoroughly',
  xhigh: 'thinks as long as it can',
};

/** Asks how hard a model should think; nothing when the user closed the list. */
export async function askThinking(seat: Seat, model: string): Promise<ThinkingLevel | undefined> {
  const { thinking } = seat.agent.state;
  const chosen = await chooseOne<ThinkingLevel>(seat, {
    title: `Thinking level of ${model}`,
    hasFilter: false,
    items: THINKING_LEVELS.map((value) => ({
      value,
      label: value,
      detail: DETAILS[value],
      isCurrent: value === thinking,
    })),
    footer: () => closingHints(seat, 'choose', 'keep'),
  });
  return chosen?.value;
}

/** Lets the user choose how hard the model thinks. */
export async function openThinking(seat: Seat): Promise<void> {
  const { model } = seat.agent.state;
  if (!model.reasoning) {
    seat.notify(`${model.id} does not think.`);
    return;
  }
  const level = await askThinking(seat, model.name);
  if (level !== undefined) await reporting(seat, () => seat.agent.setThinking(level));
}
