/** `dotnet build -flp:logfile=x`, `dotnet test -- RunConfiguration.ResultsDirectory=x`: MSBuild and the test host read words of their own. */
import type { Check, Meaning, ParsedCall } from '../language.ts';

/** Refuses words that name files or code for MSBuild or the test host. */
export function refuseOtherWords({ flags, operands, dashes }: ParsedCall, meaning: Meaning): void {
  // `-flp:…` looks like `-f lp:…`; no configuration, framework, runtime or folder has a colon there.
  for (const name of ['-c', '-f', '-r', '-o'])
    for (const word of flags.get(name) ?? [])
      if (/^\w*:/.test(word.prefix)) meaning.refuse(`the flag ${name}${word.prefix} of \`dotnet\``, word);
  for (const word of operands.slice(dashes ?? operands.length))
    if (!/^[\w.]+=[\w.-]*$/.test(word.value ?? '')) meaning.refuse('a setting behind `--` of `dotnet`', word);
}

/** Words for other programs. */
export const check: Check = { check: refuseOtherWords };
