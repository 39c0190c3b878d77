/** Writes the draft in the user's own editor. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The editor that the user has chosen, as a shell command. */
export function editorCommand(env: NodeJS.ProcessEnv = process.env): string {
  return env['VISUAL'] || env['EDITOR'] || 'vi';
}

/** Opens the text in the editor; gives what it is afterwards, or nothing when the editor failed. The terminal must be free. */
export async function editOutside(text: string, command: string = editorCommand()): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-draft-'));
  const file = join(folder, 'prompt.md');
  try {
    await writeFile(file, text, { mode: 0o600 });
    // By a shell, because the variable may hold words: `code --wait`. The file comes as an argument and is never read as code.
    const code = await new Promise<number>((done) => {
      const child = spawn('/bin/sh', ['-c', `${command} "$1"`, 'sh', file], { stdio: 'inherit' });
      child.on('error', () => done(127));
      child.on('close', (status) => done(status ?? 1));
    });
    if (code !== 0) return undefined;
    return (await readFile(file, 'utf8')).replace(/\n$/, '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
