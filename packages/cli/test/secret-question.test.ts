/** A key that is typed in a plain shell: on a real pseudo-terminal, with a shell that looks at the terminal afterwards. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '@tenon/test-kit/program';
import { KEYS, TerminalProgram } from '@tenon/test-kit/terminal-program';
import { afterEach, beforeEach, expect, it } from 'vitest';

let home: Home;
let terminal: TerminalProgram | undefined;
beforeEach(() => (home = new Home()));
afterEach(async () => {
  terminal?.kill();
  await terminal?.ends();
  terminal = undefined;
  home.remove();
});

const LOGIN = 'tenon --set models.credentialStore=file auth login openai';

/** A shell that runs the command and says how it found and left the terminal. */
function shell(command: string): TerminalProgram {
  const line = `before=$(stty -g); ${command}; echo "code $?"; [ "$before" = "$(stty -g)" ] && echo "as before"`;
  terminal = new TerminalProgram({
    program: 'sh',
    words: ['-c', line],
    cwd: home.work,
    env: home.environment(),
  });
  return terminal;
}

/** The question is out once the keys of the terminal are the program's. */
async function asked(program: TerminalProgram): Promise<void> {
  await program.shows('API key of openai:');
}

const stored = () => {
  const file = join(home.folder, 'home', 'data', 'credentials.json');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

it('takes a key without showing it, and leaves the terminal as it was', async () => {
  const program = shell(LOGIN);
  await asked(program);
  program.type('sk-unseen-01234', '\x7f', '5', KEYS.up, KEYS.enter);
  await program.shows('code 0');
  await program.shows('as before');
  expect(program.output).not.toContain('unseen');
  expect(program.output).toMatch(/openai: *\r\nLogged in/);
  expect(stored()).not.toBe('');
});

it('keeps a pasted key out of sight although it comes with the Enter in one piece', async () => {
  const program = shell(LOGIN);
  await asked(program);
  program.type(`sk-unseen-56789${KEYS.enter}`);
  await program.shows('code 0');
  expect(program.output).not.toContain('unseen');
});

it.each([
  ['Ctrl-C', `sk-unse${KEYS.ctrlC}`, 130],
  ['Ctrl-D', KEYS.ctrlD, 1],
])('stores nothing after %s, and leaves the terminal as it was', async (_name, keys, code) => {
  const program = shell(LOGIN);
  await asked(program);
  program.type(keys);
  await program.shows(`code ${code}`);
  await program.shows('as before');
  expect(program.output).not.toContain('unse');
  expect(stored()).toBe('');
});

it('asks a person at the terminal while its output goes into a pipe', async () => {
  const program = shell(`${LOGIN} | cat`);
  await asked(program);
  program.type('sk-unseen-01234', KEYS.enter);
  await program.shows('Logged in at');
  await program.shows('as before');
  expect(program.output).not.toContain('unseen');
});
