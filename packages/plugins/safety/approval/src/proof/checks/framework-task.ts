/** `manage.py`, `artisan`: tasks of frameworks that delete data or open a shell. */
import { basename } from 'node:path';
import type { CallWord, Check, Meaning } from '../language.ts';

const DELETES = /^(flush|reset_db|sqlflush|db:wipe|migrate:(fresh|refresh|reset))$/;
const RUNS =
  /^(shell|shell_plus|dbshell|tinker|createsuperuser|changepassword|loaddata|db:seed|migrate:rollback|sendtestemail|db|down|key:generate)$/;

/** Judges the task of a framework's program. */
export function readFrameworkTask(file: string, words: readonly CallWord[], meaning: Meaning): void {
  if (!/^(manage\.py|artisan)$/.test(basename(file))) return;
  const [task] = words;
  if (DELETES.test(task?.value ?? '')) meaning.add(3, `deletes the data of a database (${task?.value ?? ''})`);
  else if (RUNS.test(task?.value ?? '')) meaning.add(2, `does more than build (${task?.value ?? ''})`);
}

/** `php artisan …`. */
export const check: Check = {
  check({ operands: [file, ...words] }, meaning) {
    if (file?.value !== undefined) readFrameworkTask(file.value, words, meaning);
  },
};
