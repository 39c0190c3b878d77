/** `-ldflags` of go: values of variables and size; another linker is not understood. */
import type { Language } from '../language.ts';

const PART =
  /^(-s|-w|-v|-X|-H=?\w*|-extldflags|-buildid=\w*|'?"?-static"?'?|-linkmode|-linkmode=\w+|internal|external|windowsgui|['"]?[\w./][\w./-]*=[^\s;|&<>`$]*['"]?|-X=[\w./][\w./-]*=[^\s;|&<>`$]*|-extldflags=["']?-static["']?)$/;

/** Flags of the linker. */
export const language: Language = {
  read([word], meaning) {
    const { value, prefix } = word ?? {};
    // `-X main.version=$(git describe)`: what follows the name is a value of a variable, but it could go on with other flags.
    if (value === undefined)
      return meaning.refuse(`flags of the linker that are only known when it runs (${prefix ?? ''}…)`, word);
    for (const part of value.split(/\s+/))
      if (part !== '' && !PART.test(part)) meaning.refuse(`the linker's flag ${part}`, word);
  },
};
