/** What the model is told when a call may not run: what a person can do about it, as the very command to type. */
import type { GateAnswer } from '@tenon/kernel';
import type { HeldApproval, WayOut } from './api.ts';
import { expectedText, refusalText, visible } from './question.ts';

const PLACES: Readonly<Record<WayOut, string>> = {
  network: 'with the network, still in the sandbox',
  outside: 'outside of the sandbox',
};

/** The commands that let a held call through, the one that helps most first. */
export function allowCommands({ id, ways = [], refused }: Pick<HeldApproval, 'id' | 'ways' | 'refused'>): string {
  const command = `tenon approval allow ${id}`;
  if (ways.length === 0) return `\`${command}\``;
  const narrowFirst = ways.toSorted((left) => (left === 'network' ? -1 : 1));
  const list = narrowFirst.map((way) => `\`${command} --${way}\` (${PLACES[way]})`);
  return [...list, ...(refused ? [] : [`\`${command}\` (in the sandbox as it is)`])].join(', or ');
}

/** A call that waits, or that nobody has answered. */
export function refused(held: HeldApproval, why: string): GateAnswer {
  return { deny: refusedText(held, why) };
}

/** Why a call did not run, and what a person can do. */
export function refusedText(held: HeldApproval, why: string): string {
  const { tier, reasons, refused: refusals, expected } = held;
  const needs = `needs approval (tier ${tier}: ${visible(reasons.join('; '))}). ${why}.`;
  const start = refusals ? `${refusalText(refusals)}. Running it with less confinement ${needs}` : `it ${needs}`;
  const stopped = expected ? ` The sandbox would stop it: it needs ${expectedText(expected)}.` : '';
  const always = held.ways === undefined ? '' : ' With --always it is asked about no more.';
  return (
    `${start}${stopped} A person can allow it with ${allowCommands(held)}.${always} ` +
    'After that, make exactly the same call again.'
  );
}

/** A call that somebody has said no to. */
export function denied(reason: string | undefined): GateAnswer {
  const others = 'Do not try to get the same effect in another way: continue without it, or ask.';
  if (reason === undefined) return { deny: `the user said no. ${others}` };
  // A reason is often an instruction ("use git mv"); forbidding every other way would contradict it.
  return {
    deny: `the user said no, and wrote: ${reason}\nDo what the user wrote. Where it names no other way: ${others}`,
  };
}

/** A command that somebody wants written otherwise. It is judged anew when the model calls it. */
export function rewritten(instead: string): GateAnswer {
  return { deny: `the user wants another command instead. Run exactly this one, and nothing else for it:\n${instead}` };
}
