/** What readers and checks talk to. It only collects; the engine judges afterwards. */
import { resolve } from 'node:path';
import type { Tier } from '../api.ts';
import type { ValueSpec } from './grammar.ts';
import { type CallWord, knownWord, type Meaning, NotUnderstood } from './language.ts';
import type { CallFacts } from './roles.ts';

interface Demand {
  readonly role: ValueSpec;
  readonly word: CallWord;
  readonly folder?: CallWord;
}

/** A meaning with what it has collected. */
export interface CollectedMeaning extends Meaning {
  readonly demands: readonly Demand[];
  readonly commands: readonly (readonly CallWord[])[];
  readonly listed: readonly (readonly CallWord[])[];
  readonly effects: readonly { readonly tier: Tier; readonly why: string }[];
}

/** Makes one for a call. */
export function makeMeaning({ call, parsed }: CallFacts): CollectedMeaning {
  const demands: Demand[] = [];
  const commands: (readonly CallWord[])[] = [];
  const listed: (readonly CallWord[])[] = [];
  const effects: { tier: Tier; why: string }[] = [];
  return {
    demands,
    commands,
    listed,
    effects,
    call: parsed,
    cwd: call.shell.cwd,
    home: call.proof.world.home,
    // Few ask, and a long script has many findings.
    get changes() {
      return call.proof.findings.flatMap(({ tier, argv }) => (tier > 0 ? [argv ?? []] : []));
    },
    role: (role, word, options = {}) => void demands.push({ role, word, ...options }),
    text: (role, value, options = {}) => void demands.push({ role, word: knownWord(value), ...options }),
    command: (words) => void commands.push(words),
    add: (tier, why) => void effects.push({ tier, why }),
    lists: (folders) => void listed.push(folders),
    refuse: (what, word) => {
      throw new NotUnderstood(what, word);
    },
  };
}

/** Judges what was collected. */
export async function settleDemands(
  meaning: CollectedMeaning,
  facts: CallFacts,
  settle: (role: ValueSpec, word: CallWord, facts: CallFacts) => Promise<void>,
): Promise<void> {
  const { proof, name, argv, shell } = facts.call;
  for (const { tier, why } of meaning.effects)
    proof.add({ tier, reason: tier === 0 ? '' : `\`${name}\` ${why}`, argv });
  for (const { role, word, folder } of meaning.demands) {
    if (folder === undefined) await settle(role, word, facts);
    else if (folder.value === undefined) throw new NotUnderstood('a folder that is only known when it runs', folder);
    else await settle(role, word, { ...facts, folders: [resolve(shell.cwd, folder.value)] });
  }
  if (meaning.commands.length > 0 && facts.folders.length > 1)
    throw new NotUnderstood('a command in another folder', meaning.commands[0]?.[0]);
  for (const words of meaning.commands) await proof.argv(words, shell, { kind: 'unknown' });
}
