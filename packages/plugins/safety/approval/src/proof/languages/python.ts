/** Words of Python: flags, then a file or a module, which ends flags. Code in words or from the input is not understood. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type CallWord, knownWord, type Language, type Meaning } from '../language.ts';
import { readFrameworkTask } from '../checks/framework-task.ts';
import { readProgramWords } from '../checks/program-words.ts';
import { valueOf } from './option-table.ts';

/** Modules that are programs with a grammar of their own. */
const PROGRAMS = new Set(
  'pytest pip mypy black isort flake8 pylint ruff coverage tox nox twine yamllint bandit codespell sphinx-build mkdocs pyright poetry virtualenv alembic uv yapf autopep8'.split(
    ' ',
  ),
);
const NOT_SEEN = new Set(
  'http.server webbrowser smtplib ftplib telnetlib ensurepip antigravity idlelib pdb code turtledemo'.split(' '),
);

/** `python -m MODULE …`. */
export function runModule(module: string, words: readonly CallWord[], meaning: Meaning): void {
  const name = module === 'pre_commit' ? 'pre-commit' : module === 'sphinx' ? 'sphinx-build' : module;
  if (PROGRAMS.has(name) || name === 'pre-commit') return meaning.command([knownWord(name), ...words]);
  meaning.add(1, 'runs code of the project');
  // Modules of the folder come before those of Python.
  meaning.text('folder-of-code', '.');
  const values = words.map((word) => valueOf(word, meaning, `a word of ${module}`));
  const operands = values.filter((value) => !value.startsWith('-'));
  const flags = values.filter((value) => value.startsWith('-'));
  const only = (known: RegExp): void => {
    for (const flag of flags) if (!known.test(flag)) meaning.refuse(`the flag ${flag} of ${module}`);
  };
  if (NOT_SEEN.has(module)) return meaning.add(2, `opens this machine to others or others to it (${module})`);
  switch (module) {
    case 'unittest':
      only(/^(-v|--verbose|-q|--quiet|-f|--failfast|-c|--catch|-b|--buffer|--locals|-k|-s|-p|-t|-k\w+)$/);
      for (const value of operands) if (/\/|\.py$/.test(value)) meaning.text('file-of-code', value);
      return;
    case 'venv':
      only(/^(--clear|--copies|--symlinks|--upgrade|--without-pip|--system-site-packages|--upgrade-deps)$/);
      for (const value of operands) meaning.text(flags.includes('--clear') ? 'delete-tree' : 'create', value);
      return;
    case 'json.tool':
      only(/^(--sort-keys|--no-ensure-ascii|--json-lines|--tab|--no-indent|--compact|--indent=?\d*)$/);
      if (operands[0] !== undefined) meaning.text('read', operands[0]);
      if (operands.length > 1)
        for (const value of operands.slice(1)) if (!/^\d+$/.test(value)) meaning.text('write', value);
      return;
    case 'py_compile':
    case 'compileall':
    case 'tokenize':
    case 'ast':
    case 'tabnanny':
      only(/^(-q|-f|-l|-m|-e|-a)$/);
      for (const value of operands) meaning.text(/compile/.test(module) ? 'write' : 'read', value);
      return;
    case 'build':
      only(/^(-s|--sdist|-w|--wheel|-n|--no-isolation|-x|--skip-dependency-check)$/);
      for (const value of operands) meaning.text('file-of-code', value);
      return;
    case 'platform':
    case 'site':
    case 'sysconfig':
    case 'calendar':
    case 'this':
      only(/^--user-(site|base)$/);
      return;
    case 'doctest':
    case 'cProfile':
    case 'trace':
    case 'timeit':
      if (module === 'timeit' || flags.length > 0 || operands[0] === undefined)
        return meaning.refuse(`the module ${module} of Python with code in its words`);
      meaning.text('file-of-code', operands[0]);
      return;
    default:
  }
  const path = join(meaning.cwd, ...module.split('.'));
  if (/^[A-Za-z_][\w.]*$/.test(module) && (existsSync(`${path}.py`) || existsSync(join(path, '__main__.py')))) {
    readProgramWords(words, meaning);
    return meaning.add(1, `runs ${module}, which belongs to the workspace`);
  }
  meaning.refuse(`the module ${module} of Python`);
}

const SETTINGS = /^-X(dev|utf8(=\d)?|importtime|faulthandler|tracemalloc(=\d+)?|no_debug_ranges|frozen_modules=\w+)$/;

/** Words of Python. */
export const language: Language = {
  read(words, meaning) {
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as CallWord;
      const value = valueOf(word, meaning, 'a word of Python');
      if (/^-[BEsSuIOqbvdP]+$/.test(value)) continue;
      if (value === '-V' || value === '--version' || value === '-VV' || value === '-h') {
        if (words.length > 1) meaning.refuse(`words beside ${value} of Python`, word);
        return;
      }
      if (value === '-W' || value === '-X') {
        const taken = valueOf(words[++at], meaning, 'a setting of Python');
        if (value === '-X' ? !SETTINGS.test(`-X${taken}`) : !/^[\w:.]+$/.test(taken))
          meaning.refuse(`the setting ${taken} of Python`, word);
        continue;
      }
      if (/^-W[\w:.]+$/.test(value) || SETTINGS.test(value)) continue;
      const [, attached] = /^-[BEsSuIOqbvdP]*m(.*)$/.exec(value) ?? [];
      if (attached !== undefined) {
        const module = attached === '' ? valueOf(words[++at], meaning, 'a module') : attached;
        return runModule(module, words.slice(at + 1), meaning);
      }
      if (value.startsWith('-'))
        meaning.refuse(value === '-' ? 'code that Python reads from its input' : `the flag ${value} of Python`, word);
      const rest = words.slice(at + 1);
      if (!readFrameworkTask(value, rest, meaning)) readProgramWords(rest, meaning);
      return meaning.role('file-of-code', word);
    }
    meaning.refuse('code that Python reads from its input');
  },
};
