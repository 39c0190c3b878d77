/** Words of compilers for C and its relatives. Missing: what loads code (-fplugin, -B, -specs, -wrapper, -Xclang -load) and `@file`. */
import type { Language, Meaning } from '../language.ts';
import { type OptionTable, readOptions } from './option-table.ts';

/** Flags that change only what is compiled and how. */
export const HARMLESS_FLAG =
  /^(-W(?!l,|p,|a,)[\w=+-]*|-O([0-3sgz]|fast)?|-g(\d|dwarf(-\d)?|gdb\d?)?|-std=[\w+:]+|-ansi|-pedantic(-errors)?|-w|-p|-pg|-pipe|-fuse-ld=(bfd|gold|lld|mold)|-pthread|-fopenmp|-static(-libgcc|-libstdc\+\+)?|-shared(-libgcc)?|-no-pie|-pie|-rdynamic|-s|-m(arch|tune|cpu|fpu|float-abi)=[\w.+-]+|-m(32|64|avx[\w-]*|sse[\w.]*|fma|bmi2?|native)|-D\w+(=[\w."'\\:+-]*)?|-U\w+|-l[\w.+:-]+|-f(sanitize|no-sanitize|visibility|diagnostics-color|stack-protector|stack-reuse|ffp-contract|lto|cf-protection|max-errors|template-depth|constexpr-depth|error-limit)(=[\w,.+-]+)?|-f(no-)?(PIC|pic|PIE|pie|exceptions|rtti|omit-frame-pointer|inline|inline-functions|builtin|common|strict-aliasing|strict-overflow|wrapv|trapv|fast-math|math-errno|unroll-loops|tree-vectorize|stack-protector-(all|strong)|permissive|signed-char|unsigned-char|short-enums|modules-ts|coroutines|concepts|char8_t|data-sections|function-sections|asynchronous-unwind-tables|diagnostics-show-option|color-diagnostics|lto|delete-null-pointer-checks|threadsafe-statics|ident|syntax-only|ms-extensions|implicit-none|backtrace|stack-clash-protection|merge-all-constants|gnu-unique|semantic-interposition))$/;

function linkerFlags(value: string, meaning: Meaning): void {
  const parts = value.split(',');
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? '';
    if (part === '-rpath' || part === '-soname' || part === '-z' || part === '-rpath-link' || part === '-install_name')
      at++;
    else if (part === '-Map') meaning.text('write', parts[++at] ?? '');
    else if (part.startsWith('-Map=')) meaning.text('write', part.slice('-Map='.length));
    else if (
      !/^(--as-needed|--no-as-needed|--gc-sections|--whole-archive|--no-whole-archive|--start-group|--end-group|--no-undefined|--export-dynamic|--strip-all|-s|-S|-E|-O\d|-Bstatic|-Bdynamic|-Bsymbolic|--build-id|--hash-style=\w+|--print-gc-sections|--enable-new-dtags|-rpath=.*|-soname=.*|-z[\w-]+|--stack,\d+|-t|--verbose|--fatal-warnings|-dead_strip)$/.test(
        part,
      )
    )
      meaning.refuse(`the flag -Wl,${value} of a compiler`);
  }
}

const TABLE: OptionTable = {
  plain:
    '-c -S -E -v -### -V --version --help -dumpversion -dumpmachine -print-search-dirs -H -M -MM -MD -MMD -MP -MG -P -C -nostdlib -nostartfiles -nodefaultlibs -nostdinc -nostdinc++ -ffreestanding -fhosted -save-temps --coverage -fprofile-arcs -ftest-coverage -fprofile-generate -fmodules -emit-llvm -time --verbose -Q -dM -fsyntax-only -ObjC -undef -Bsymbolic -flat_namespace',
  next: {
    '-o': 'write',
    '-I -isystem -iquote -idirafter -include -imacros -L -isysroot --sysroot -F -iframework': 'read',
    '-MF': 'write',
    '-MT -MQ -x -framework -arch -target --target -u -D -U -l -std': /[\w.+:=/-]*/,
    '-Xlinker': linkerFlags,
  },
  attached: {
    '-o': 'write',
    '-I -isystem -iquote -include -L --sysroot= -F': 'read',
    '-MF': 'write',
    '-MT -MQ --target= --std=': /[\w.+:=/-]*/,
    '-Wl,': linkerFlags,
    '-x': /(c|c\+\+|c-header|c\+\+-header|assembler|assembler-with-cpp|none|objective-c|cuda|f95)/,
    '-fdiagnostics-color= -fmacro-prefix-map= -ffile-prefix-map= -fdebug-prefix-map= -print-prog-name= -print-file-name= -frandom-seed=':
      /[\w=./-]*/,
    '-': (value, meaning) => {
      if (!HARMLESS_FLAG.test(`-${value}`)) meaning.refuse(`the flag -${value} of a compiler`);
    },
  },
};

/** Words of a C compiler. */
export const language: Language = {
  read(words, meaning) {
    for (const word of readOptions(words, meaning, TABLE)) {
      if (word.value?.startsWith('@')) meaning.refuse('flags that stand in a file', word);
      // Code from the input becomes a program: nobody sees it.
      if (word.value !== '-') meaning.role('read', word);
    }
    // Without -o, -c and the like the result is a.out, in the same folder.
    meaning.text('write', 'a.out');
  },
};
