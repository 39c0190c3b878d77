/** Words of rustc. Missing: linkers, sysroots, plugins, `@file`. */
import type { Language } from '../language.ts';
import { readOptions } from './option-table.ts';

const CODEGEN =
  /(opt-level|debuginfo|lto|panic|target-cpu|target-feature|overflow-checks|codegen-units|strip|debug-assertions|embed-bitcode|metadata|extra-filename|relocation-model|instrument-coverage)(=[\w.+,-]*)?/;

/** Words of rustc. */
export const language: Language = {
  read(words, meaning) {
    const operands = readOptions(words, meaning, {
      plain: '-V --version -vV -h --help -v --verbose -O -g --test',
      next: {
        '-o --out-dir': 'write',
        '--edition --crate-type --crate-name --emit --print --cfg --check-cfg --cap-lints --color --error-format --explain -A -W -D -F --allow --warn --deny --forbid --codegen-units':
          /[\w.+,:="()/-]*/,
        '-C --codegen': CODEGEN,
        '-L': /[\w=./-]+/,
        '--target': /[\w.-]+/,
      },
      attached: {
        '--edition= --crate-type= --crate-name= --emit= --print= --cfg= --color= --error-format= --cap-lints= -A -W -D':
          /[\w.+,:="()-]*/,
        '-C': CODEGEN,
        '--target=': /[\w.-]+/,
      },
    });
    for (const word of operands) {
      if (word.value?.startsWith('@')) meaning.refuse('flags that stand in a file', word);
      meaning.role('read', word);
    }
  },
};
