/** What a person can answer, and what each answer means. */
import type { Extent, WayOut } from './api.ts';
import type { HeldRecord } from './held/store.ts';
import { visible } from './question.ts';

/** An answer: no, or how far a yes goes. */
export type Choice = { readonly extent: Extent; readonly way?: WayOut } | 'deny';

/** The answers to offer, by what the person reads. */
export function choicesFor(held: HeldRecord, hasSession: boolean): ReadonlyMap<string, Choice> {
  if (held.refused === undefined) {
    return new Map<string, Choice>([
      ['Allow once', { extent: 'once' }],
      ...(hasSession ? [['Allow for this session', { extent: 'session' }] as const] : []),
      ['Always allow (writes a policy rule)', { extent: 'always' }],
      ['Deny', 'deny'],
    ]);
  }
  const words = held.rules.map(({ command }) => (command === undefined ? 'exactly this call' : textOf(command)));
  return new Map<string, Choice>([
    ...(held.ways?.includes('network') === true
      ? [['Run it once with the network, still in the sandbox', { extent: 'once', way: 'network' }] as const]
      : []),
    ['Run it once outside of the sandbox', { extent: 'once', way: 'outside' }],
    [
      `Always run this outside of the sandbox (writes a policy rule: ${visible(words.join(', '))})`,
      { extent: 'always', way: 'outside' },
    ],
    ['No', 'deny'],
  ]);
}

function textOf(command: string | readonly string[]): string {
  return typeof command === 'string' ? command : command.join(' ');
}
