/** Targets and variables of make: a variable can be a program, so only plain values of known names are understood. */
import type { Check } from '../language.ts';

const SWITCH = /^(\d+|y|n|yes|no|true|false|on|off|debug|release)?$/i;
const NAMES =
  /^(V|VERBOSE|CONFIG|MODE|ENV|NODE_ENV|BUILD|BUILD_TYPE|TEST|TESTS|T|TESTCASE|CASE|FILTER|PATTERN|VERSION|TAG|TARGET|TARGETS|ARCH|OS|GOOS|GOARCH|PLATFORM|PKG|PACKAGE|NAME|MODULE|SUITE|O|PROFILE|FEATURES|BOARD|LOG_LEVEL|SERVICE|APP|LANG|J|JOBS|N|SEED|COUNT|OPT|DEBUG|STD)$/;
const COMPILERS = /^(cc|c\+\+|gcc|g\+\+|clang|clang\+\+|ccache (gcc|g\+\+|clang|clang\+\+))(-\d+)?$/;
const FLAGS =
  /^(-(W[\w=+-]*|O[0-3sgz]?|g\d?|std=[\w+]+|D\w+(=\w*)?|I[\w./-]+|L[\w./-]+|l[\w.+-]+|f(sanitize=[\w,]+|PIC|no-[\w-]+)|m(arch|tune)=[\w.-]+|v|x|s|q|race|short|count=\d+|run=?|k|n\d*|-[\w-]+(=[\w./:-]*)?)|[\w./:][\w./:-]*)$/;

/** Targets and variables. */
export const check: Check = {
  check({ flags, operands, path: [program = ''] }, meaning) {
    // Then recipes are printed, but for those that make runs anyway: these belong to the project.
    const isDry = flags.has('-n');
    for (const word of operands) {
      if (word.value === undefined)
        return meaning.refuse(`a target of \`${program}\` that is only known when it runs`, word);
      const [, name, value] = /^([\w.-]+)\s*[:+?!]?=(.*)$/s.exec(word.value) ?? [];
      if (name === undefined || value === undefined) {
        if (!/^[\w.@%:/,[\]-]+$/.test(word.value) || word.value.startsWith('-'))
          return meaning.refuse(`the target ${word.value}`, word);
        if (isDry) continue;
        if (/^(un)?install/.test(word.value)) meaning.add(2, `changes the machine (${word.value})`);
        meaning.role('task', word);
      } else if (!isPlain(name, value)) meaning.refuse(`the variable ${word.value} of \`${program}\``, word);
    }
  },
};

function isPlain(name: string, value: string): boolean {
  if (/^(SHELL|\.SHELLFLAGS|MAKEFLAGS|MAKEFILES|MAKE|PATH|VPATH|MAKEOVERRIDES|GNUMAKEFLAGS)$/.test(name)) return false;
  if (SWITCH.test(value)) return true;
  if (/^(CC|CXX|LD|HOSTCC)$/.test(name)) return COMPILERS.test(value);
  if (/^(PREFIX|prefix|DESTDIR)$/.test(name)) return /^[\w./-]+$/.test(value);
  if (
    /^(C|CXX|CPP|LD|GO|RUST|TEST|PYTEST|BUILD)?FLAGS$|^(ARGS|TESTARGS|TEST_ARGS|PYTEST_ARGS|LDLIBS|EXTRA_ARGS|OPTS)$/.test(
      name,
    )
  )
    return value.split(/\s+/).every((part) => part === '' || FLAGS.test(part));
  return NAMES.test(name) && /^[\w.,:@+-]+$/.test(value) && !value.startsWith('-');
}
