/** Words of rustc. Missing: linkers, sysroots, plugins, `@file`. */
import type { Language, Meaning } from '../language.ts';
import { readOptions } from './option-table.ts';

const CODEGEN =
  /(opt-level|debuginfo|lto|panic|target-cpu|target-feature|overflow-checks|codegen-units|strip|debug-assertions|embed-bitcode|metadata|extra-filename|relocation-model|instrument-coverage)(=[\w.+,-]*)?/;

/** What is made or printed, without `kind=FILE`. */
const KINDS = /[\w,-]+/;

/** `-L [KIND=]FOLDER`: macros of the libraries there run while it builds. */
function readLibraries(value: string, meaning: Meaning): void {
  meaning.text('code.code-file', value.replace(/^(dependency|crate|native|framework|all)=/, ''));
}

/** Words of rustc. */
export const language: Language = {
  read(words, meaning) {
    const operands = readOptions(words, meaning, {
      plain: '-V --version -vV -h --help -v --verbose -O -g --test',
      next: {
        '-o --out-dir': 'write',
        '--edition --crate-type --crate-name --cfg --check-cfg --cap-lints --color --error-format --explain -A -W -D -F --allow --warn --deny --forbid --codegen-units':
          /[\w.+,:="()/-]*/,
        '-C --codegen': CODEGEN,
        '--emit --print': KINDS,
        '-L': readLibraries,
        '--target': /[\w.-]+/,
      },
      attached: {
        '--edition= --crate-type= --crate-name= --cfg= --color= --error-format= --cap-lints= -A -W -D':
          /[\w.+,:="()-]*/,
        '-C': CODEGEN,
        '--emit= --print=': KINDS,
        '--target=': /[\w.-]+/,
      },
    });
    for (const word of operands) {
      if (word.value?.startsWith('@')) meaning.refuse('flags that stand in a file', word);
      meaning.role('read', word);
    }
  },
};
