import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CommandCall } from '@tenon/command-line/api';
import { checkSchema, loadSchemaCompiler, messageOf, TenonError } from '@tenon/kernel';
import type { ConfigParts } from './commands.ts';
import { errors } from './errors.ts';
import { makeCopy, PRIVATE, readSettings, SHARED, updateSettings } from './settings-file.ts';
import { parseSettings } from './yaml-text.ts';

const FIRST_LINES =
  '# Settings of Tenon. `tenon config list` shows all of them, `tenon config schema` describes them.\n';

/** Lets a person edit a copy of the settings, and puts it in place when it is valid and the file did not change meanwhile. */
export async function editInEditor(
  parts: ConfigParts,
  layer: 'global' | 'project',
  call: CommandCall,
): Promise<number | void> {
  const location = parts.locations[layer];
  const modes = layer === 'project' ? SHARED : PRIVATE;
  const { write: file, read } = location();
  const before = await readSettings(file);
  const start = before ?? (read === file ? FIRST_LINES : FIRST_LINES + ((await readSettings(read)) ?? ''));
  // Beside the file, so that editors find its schema; the process id keeps two editors apart.
  const copy = join(dirname(file), `.${basename(file, '.yml')}.edit-${process.pid}.yml`);
  await makeCopy(copy, start, modes);
  const keep = async (reason: string) => errors.create('SETTINGS_FILES_EDIT_KEPT', { file, reason, copy });

  for (;;) {
    await runEditor(parts, copy, file, call).catch(async (fault: unknown) => {
      if ((await readSettings(copy)) !== start) throw await keep(messageOf(fault));
      await rm(copy, { force: true });
      throw fault;
    });
    const edited = await readSettings(copy).catch(async (fault: unknown) => {
      throw await keep(messageOf(fault));
    });
    if (edited === undefined) throw errors.create('SETTINGS_FILES_EDITOR', { reason: `it removed ${copy}`, file });
    if (edited === start) {
      await rm(copy);
      return call.io.err(`${file} was not changed.\n`);
    }
    const problem = await problemIn(edited, copy, parts);
    if (problem === undefined) return putInPlace(edited);
    await call.io.err(`${problem}\n`);
    const answer = await askWhatNext();
    if (answer === undefined || answer.startsWith('k')) throw await keep('what you wrote is not valid');
    if (answer.startsWith('s')) return putInPlace(edited);
  }

  async function askWhatNext(): Promise<string | undefined> {
    try {
      const answer = await call.io.ask?.('(e)dit again, (s)ave anyway, or (k)eep the copy and stop? [e] ');
      return answer?.trim().toLowerCase();
    } catch (fault) {
      // Ctrl-C: the shell says nothing more, but the text must be found again.
      await call.io.err(`\nWhat you wrote is kept in ${copy}.\n`);
      throw fault;
    }
  }

  async function putInPlace(edited: string): Promise<void> {
    await updateSettings(location, modes, async (current) => {
      // A file that was not there reads as empty.
      if (current !== (before ?? (read === file ? '' : current)))
        throw await keep('it was changed by someone else meanwhile');
      return edited;
    });
    await rm(copy);
    await parts.settings.load();
    await call.io.err(`Saved ${file}.\n`);
  }
}

/** What is wrong with settings as they were edited. Sections of plugins that are not installed are left alone. */
async function problemIn(text: string, file: string, parts: ConfigParts): Promise<string | undefined> {
  try {
    const { values, locate } = parseSettings(text, file);
    await loadSchemaCompiler();
    const problems = checkSchema(await parts.settings.schema(), structuredClone(values)).map(({ path, message }) => {
      const at = locate(path.split('.'));
      return `${file}${at ? `:${at.line}:${at.column}` : ''}: ${path ? `${path} ` : ''}${message}`;
    });
    return problems.length > 0 ? problems.join('\n') : undefined;
  } catch (fault) {
    if (fault instanceof TenonError) return fault.message;
    throw fault;
  }
}

/** Runs the user's editor and waits for it. The shell splits the variable, which may hold arguments ("code --wait"). */
async function runEditor({ environment }: ConfigParts, copy: string, file: string, { io }: CommandCall): Promise<void> {
  const editor = environment['VISUAL'] || environment['EDITOR'] || 'vi';
  const work = () =>
    new Promise<void>((resolve, reject) => {
      // Ctrl-C reaches the shell too; with a trap it survives, and its child starts without the trap.
      const child = spawn('sh', ['-c', `trap : INT; ${editor} "$1"`, 'tenon-editor', copy], { stdio: 'inherit' });
      child.on('error', reject);
      child.on('exit', (code, signal) =>
        code === 0 ? resolve() : reject(new Error(`\`${editor}\` ended with ${signal ?? `exit code ${code}`}`)),
      );
    });
  try {
    await (io.handOver ? io.handOver(work) : work());
  } catch (fault) {
    throw errors.create('SETTINGS_FILES_EDITOR', { reason: messageOf(fault), file }, fault);
  }
}
