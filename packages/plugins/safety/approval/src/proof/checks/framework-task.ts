/** `manage.py`, `artisan`: only tasks that are known to build, test or list; others delete data, open a shell or are not understood. */
import { basename } from 'node:path';
import type { CallWord, Check, Meaning } from '../language.ts';
import { readProgramWords } from './program-words.ts';

const DELETES =
  /^(flush|reset_db|sqlflush|delete_\w+|clear_\w+|drop_\w+|db:wipe|migrate:(fresh|refresh|reset)|queue:(clear|flush)|cache:clear|cache:flush|telescope:(clear|prune)|model:prune)$/;
const RUNS =
  /^(shell|shell_plus|dbshell|tinker|createsuperuser|changepassword|loaddata|dumpdata|diffsettings|runscript|db:seed|migrate:rollback|migrate:install|sendtestemail|db|down|up|key:generate|config:show|env:(de|en)crypt|vendor:publish|queue:\w+|schedule:(run|work)|createcachetable|remove_stale_contenttypes|squashmigrations|optimizemigration|clearsessions)$/;
const KNOWN =
  /^(test|check|makemigrations|showmigrations|migrate|runserver|collectstatic|findstatic|compilemessages|makemessages|inspectdb|sqlmigrate|startapp|show_urls|spectacular|graph_models|validate_templates|help|version|list|about|env|inspire|serve|route:(list|cache|clear)|config:(cache|clear)|view:(cache|clear)|event:(list|cache|clear)|optimize|optimize:clear|make:[\w-]+|migrate:status|schedule:list|model:show|db:(show|table|monitor)|--version|--help|-V|-h)$/;
/** Flags that lead to other code, settings or systems. */
const OTHERS = /^--?(pythonpath|testrunner|force|env|host|skip-checks|fake|fake-initial|clear|link|ip)(=|$)/;

/** Judges the task of a framework's program; says whether the file is one. */
export function readFrameworkTask(file: string, words: readonly CallWord[], meaning: Meaning): boolean {
  if (basename(file) === 'setup.py') return readSetupTask(words, meaning);
  if (!/^(manage\.py|artisan)$/.test(basename(file))) return false;
  const [task, ...rest] = words;
  const name = task?.value ?? '';
  if (task === undefined) return true;
  if (DELETES.test(name)) meaning.add(3, `deletes the data of a database (${name})`);
  else if (RUNS.test(name)) meaning.add(2, `does more than build (${name})`);
  else if (!KNOWN.test(name)) meaning.refuse(`the task ${name}`, task);
  for (const word of rest) {
    if (OTHERS.test(word.prefix)) meaning.refuse(`${word.prefix} of the task ${name}`, word);
    if (name === 'runserver' && !/^(-.*|\d+|(localhost|127\.0\.0\.1):\d+)$/.test(word.value ?? ''))
      meaning.refuse('a server that others could reach', word);
  }
  readProgramWords(rest, meaning, 'tests');
  return true;
}

/** `setup.py`: builds are the project's own matter, everything else installs or uploads. */
function readSetupTask(words: readonly CallWord[], meaning: Meaning): true {
  const tasks = words.filter(({ prefix }) => !prefix.startsWith('-'));
  for (const word of tasks) {
    if (!/^(build|build_ext|build_py|test|check|sdist|bdist_wheel|clean|egg_info)$/.test(word.value ?? ''))
      meaning.add(2, `installs or publishes the project (${word.value ?? 'a task that is only known when it runs'})`);
  }
  return true;
}

/** `php artisan …`. */
export const check: Check = {
  check({ operands: [file, ...words] }, meaning) {
    if (file?.value !== undefined && !readFrameworkTask(file.value, words, meaning)) readProgramWords(words, meaning);
  },
};
