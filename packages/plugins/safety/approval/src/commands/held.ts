/** `tenon approval list|show|allow|deny|clear`: answers from anywhere. */
import type { CommandCall } from '@tenon/command-line/api';
import { plainLine } from '@tenon/wording';
import type { Extent, HeldApproval } from '../api.ts';
import { inputText, marked, refusalText, stoppedText, visible } from '../question.ts';
import { allowCommands } from '../refusal.ts';
import type { CommandParts } from './parts.ts';

/** `tenon approval list` */
export async function listHeld({ approvals }: CommandParts, { io, flags }: CommandCall): Promise<void> {
  const held = await approvals.held();
  if (flags['json']) return io.json(held);
  if (held.length === 0) return io.err('Nothing waits for an answer.\n');
  for (const { id, state, tier, summary, reasons } of held) {
    await io.out(
      `${id}  ${state.padEnd(7)}  tier ${tier}  ${plainLine(summary)}\n          ${plainLine(reasons.join('; '))}\n`,
    );
  }
}

/** `tenon approval show ID` */
export async function showHeld({ store, approvals }: CommandParts, { io, flags, args }: CommandCall): Promise<void> {
  const { id } = await store.get(String(args['id']));
  const held = (await approvals.held()).find((approval) => approval.id === id) as HeldApproval;
  if (flags['json']) return io.json(held);
  await io.out(
    [
      `${held.id}: ${held.state} since ${held.since}, until ${held.until}`,
      `Tool:    ${plainLine(held.tool)}`,
      `Folder:  ${plainLine(held.folder)}`,
      ...(held.session === undefined ? [] : [`Session: ${plainLine(held.session)}`]),
      `Tier ${held.tier}:  ${plainLine(held.reasons.join('; '))}`,
      ...(held.refused === undefined ? [] : [`It has run once and failed: ${plainLine(refusalText(held.refused))}`]),
      ...(held.expected === undefined ? [] : [plainLine(stoppedText(held, held.expected))]),
      ...(held.state === 'waiting' && held.ways ? [`Answer:  ${allowCommands(held)}`] : []),
      ...(held.variables === undefined ? [] : ['Variables:', visible(inputText(held.variables))]),
      ...(held.spans.length > 0 ? ['What it would do (what matters in ⟦ ⟧):'] : ['What it would do:']),
      `  ${marked(held.text, held.spans).replaceAll('\n', '\n  ')}`,
      'Input:',
      visible(inputText(held.input)),
      '',
    ].join('\n'),
  );
}

const WAYS = ['network', 'outside'] as const;

/** `tenon approval allow ID` */
export async function allowHeld({ approvals }: CommandParts, { io, flags, args }: CommandCall): Promise<void> {
  const extent: Extent = flags['always'] === true ? 'always' : flags['session'] === true ? 'session' : 'once';
  const way = WAYS.find((name) => flags[name] === true);
  const held = await approvals.answer(String(args['id']), 'allow', { extent, ...(way && { way }) });
  if (flags['json']) return io.json({ ...held, extent });
  const meaning = {
    once: 'The same call goes through once',
    session: 'Calls like it go through in its session',
    always: 'Calls like it go through from now on; see `tenon policy list`',
  }[extent];
  const place = way === undefined ? '' : { network: ', with the network', outside: ', outside of the sandbox' }[way];
  await io.out(`Allowed: ${plainLine(held.summary)}\n${meaning}${place}.\n`);
}

/** `tenon approval deny ID` */
export async function denyHeld({ approvals }: CommandParts, { io, flags, args }: CommandCall): Promise<void> {
  const reason = typeof flags['reason'] === 'string' ? flags['reason'] : undefined;
  const held = await approvals.answer(String(args['id']), 'deny', { ...(reason !== undefined && { reason }) });
  if (flags['json']) return io.json(held);
  await io.out(`Denied: ${plainLine(held.summary)}\n`);
}

/** `tenon approval clear` */
export async function clearHeld({ store }: CommandParts, { io, flags }: CommandCall): Promise<void> {
  const removed = await store.clear();
  if (flags['json']) return io.json({ removed });
  await io.out(`Forgot ${removed} ${removed === 1 ? 'call' : 'calls'} and what sessions were allowed.\n`);
}
