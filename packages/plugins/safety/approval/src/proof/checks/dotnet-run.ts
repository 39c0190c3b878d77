/** `dotnet run … -- WORDS`: the project's program, or the file that is named first (`dotnet run a.cs`). */
import type { Check } from '../language.ts';
import { refuseOtherWords } from './dotnet-words.ts';
import { readProgramWords } from './program-words.ts';

/** What is run. */
export const check: Check = {
  check(call, meaning) {
    const { operands, dashes } = call;
    refuseOtherWords({ ...call, operands: [] }, meaning);
    const [first] = operands.slice(0, dashes);
    if (first?.value?.endsWith('.cs')) meaning.role('file-of-code', first);
    readProgramWords(operands, meaning);
  },
};
