/** `-D NAME=value` of cmake: names whose value can start a program or load code are known, and the value must be plain. */
import type { Language } from '../language.ts';
import { HARMLESS_FLAG } from './cc.ts';
import { valueOf } from './option-table.ts';

const COMPILER = /^(cc|c\+\+|gcc|g\+\+|clang|clang\+\+)(-\d+)?$/;

/** A definition. */
export const language: Language = {
  read([word], meaning) {
    const text = valueOf(word, meaning, 'a definition');
    const [, name, value = ''] = /^([\w-]+)(?::\w+)?(?:=(.*))?$/s.exec(text) ?? [];
    if (name === undefined) return meaning.refuse(`the definition ${text}`, word);
    if (/^(ON|OFF|TRUE|FALSE|YES|NO|\d+)?$/i.test(value) && !/_(COMPILER|LAUNCHER)$/.test(name)) return;
    if (name.endsWith('_COMPILER') && COMPILER.test(value)) return;
    if (name.endsWith('_LAUNCHER') && /^(ccache|sccache)$/.test(value)) return;
    if (/^CMAKE_\w*FLAGS(_\w+)?$/.test(name)) {
      for (const flag of value.split(/\s+/))
        if (flag !== '' && !HARMLESS_FLAG.test(flag)) meaning.refuse(`the compiler's flag ${flag}`, word);
      return;
    }
    if (/^(CMAKE_INSTALL_(PREFIX|\w*DIR)|CMAKE_OSX_SYSROOT)$/.test(name)) return;
    if (/^(CMAKE_TOOLCHAIN_FILE|CMAKE_PREFIX_PATH|CMAKE_MODULE_PATH|\w+_DIR|\w+_ROOT)$/.test(name)) {
      for (const path of value.split(';')) if (path !== '') meaning.text('file-of-code', path);
      return;
    }
    if (
      /COMPILER|LAUNCHER|LINKER|COMMAND|PROGRAM|EXECUTABLE|EMULATOR|INCLUDE|SCRIPT|GENERATOR|WRAPPER|PROXY|URL/.test(
        name,
      )
    )
      return meaning.refuse(`the definition ${text}`, word);
    if (!/^[\w.,;+-]*$/.test(value)) meaning.refuse(`the definition ${text}`, word);
  },
};
