import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processesWith } from '@tenon/test-kit/processes';
import { Home } from '@tenon/test-kit/program';
import { until } from '@tenon/test-kit/waiting';

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const hasTmux = has('tmux');
if (!hasTmux) process.stderr.write('SKIPPED: tests in a real terminal (tmux is not installed)\n');

/** A shell in a real terminal. */
class Terminal {
  readonly #socket: string;

  constructor(home: Home, command: string, env: Record<string, string> = {}) {
    this.#socket = join(home.folder, 'tmux');
    // A socket in the test's own folder: no other tmux is touched.
    const { status, stderr } = spawnSync(
      'tmux',
      ['-S', this.#socket, '-f', '/dev/null', 'new-session', '-d', '-x', '100', '-y', '40', command],
      {
        cwd: home.work,
        env: home.environment({ TERM: 'xterm-256color', ...env }),
        encoding: 'utf8',
      },
    );
    if (status !== 0) throw new Error(`tmux did not start: ${stderr}`);
  }

  #tmux(...words: string[]): string {
    return spawnSync('tmux', ['-S', this.#socket, ...words], { encoding: 'utf8' }).stdout;
  }

  type(...keys: string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  screen(): string {
    return this.#tmux('capture-pane', '-p');
  }

  title(): string {
    return this.#tmux('display-message', '-p', '#{pane_title}');
  }

  clipboard(): string {
    return this.#tmux('list-buffers', '-F', '#{buffer_sample}').trim();
  }

  async shows(text: string | RegExp): Promise<string> {
    let screen = '';
    const isThere = async () => {
      screen = this.screen();
      if (typeof text === 'string' ? screen.includes(text) : text.test(screen)) return true;
      // Each look starts a process.
      await sleep(80);
      return false;
    };
    await until(isThere, '').catch(() => {
      throw new Error(`the terminal never showed ${String(text)}:\n${screen}`);
    });
    return screen;
  }

  close(): void {
    this.#tmux('kill-server');
  }
}

describe.skipIf(!hasTmux)('in a real terminal', () => {
  let home: Home;
  let terminal: Terminal | undefined;
  beforeEach(() => (home = new Home()));
  afterEach(async () => {
    terminal?.close();
    terminal = undefined;
    // What ran in the terminal ends after it, and could still write.
    await until(() => processesWith(home.folder).length === 0, 'the end of all programs');
    home.remove();
  });

  const bash = (env: Record<string, string> = {}) => new Terminal(home, 'bash --norc', { PS1: '$ ', ...env });
  const copies = () => readdirSync(dirname(home.settings)).filter((name) => name.includes('.edit-'));

  it('a file and its name change neither title, clipboard nor screen', async () => {
    const attack = '\u001b]2;OWNED\u0007\u001b]52;c;T1dORUQ=\u0007\u001b[2J\u001b[H';
    writeFileSync(join(home.work, 'evil.txt'), `before${attack}after\n`);
    writeFileSync(join(home.work, `name${attack.replaceAll('/', '')}.txt`), 'x\n');
    terminal = bash();
    terminal.type('echo first', 'Enter');
    await terminal.shows(/^first$/m);
    terminal.type(
      `tenon tool run read --input '{"path":"evil.txt"}'; tenon tool run read --input '{"path":"."}'; echo "end"`,
      'Enter',
    );
    const screen = await terminal.shows(/^end$/m);
    expect(screen).toMatch(/^first$/m);
    expect(screen).toMatch(/before *after/);
    expect(terminal.title()).not.toContain('OWNED');
    expect(terminal.clipboard()).toBe('');
    // The same file does all of that when nothing is in its way.
    terminal.type('cat evil.txt; echo over', 'Enter');
    const after = await terminal.shows(/^over$/m);
    expect(after).not.toMatch(/^first$/m);
    expect(terminal.title()).toContain('OWNED');
  });

  it('tenon shell has a prompt; Ctrl-C ends the command or the line, Ctrl-D leaves with the last code', async () => {
    mkdirSync(join(home.work, 'src'));
    terminal = bash();
    const shell = async (line: string, shows: RegExp) => {
      terminal?.type(line, 'Enter');
      await terminal?.shows(shows);
    };
    await shell('tenon shell --sandbox full; echo "code $?"', /\/work \$ ?$/m);
    await shell('cd src', /\/work\/src \$ ?$/m);
    await shell('if true', /^> ?$/m);
    await shell('then echo y"e"s; fi', /^yes$/m);
    await shell('echo begun; sleep 60', /^begun$/m);
    terminal.type('C-c');
    await terminal.shows(/^\^C\n.*src \$ ?$/m);
    await shell('echo "after $?"', /^after 130$/m);
    terminal.type('half a line', 'C-c');
    await shell('echo wh"o"le', /^whole$/m);
    await shell('printf "\\033]2;OWNED\\007"; (exit 5)', /OWNED.*\n.*src \$ ?$/m);
    terminal.type('C-d');
    await terminal.shows(/^code 5$/m);
    expect(terminal.title()).not.toContain('OWNED');
  });

  it('config edit asks what to do with invalid settings, and saves what is right the second time', async () => {
    const editor = join(home.folder, 'editor');
    writeFileSync(
      editor,
      '#!/bin/sh\nif [ -e "$0.again" ]; then echo "kernel: {}" > "$1"; else echo "kernel: [" > "$1"; touch "$0.again"; fi\n',
      { mode: 0o755 },
    );
    terminal = bash({ EDITOR: editor });
    terminal.type('tenon config edit', 'Enter');
    await terminal.shows('(e)dit again');
    terminal.type('Enter');
    await terminal.shows('Saved');
    expect(readFileSync(home.settings, 'utf8')).toBe('kernel: {}\n');
    expect(copies()).toEqual([]);
  });

  it.each([
    ['Ctrl-C', 'C-c', 'code 130'],
    ['Ctrl-D', 'C-d', 'code 1'],
  ])('%s at a question ends the command and says where the text is kept', async (_, key, code) => {
    terminal = bash({ EDITOR: "echo 'kernel: [' >" });
    terminal.type('tenon config edit; echo "code $?"', 'Enter');
    await terminal.shows('(e)dit again');
    terminal.type(key);
    const screen = await terminal.shows(new RegExp(`^${code}$`, 'm'));
    expect(screen).toContain('is kept in');
    expect(copies()).toHaveLength(1);
  });

  it('Ctrl-C in the editor belongs to the editor', async () => {
    const editor = join(home.folder, 'editor');
    writeFileSync(
      editor,
      `#!/bin/sh\nn=0\ntrap 'n=$((n+1)); echo interrupted $n' INT\necho editing\nuntil read line; do :; done\necho "kernel: {} # $line" > "$1"\n`,
      { mode: 0o755 },
    );
    terminal = bash({ EDITOR: editor });
    terminal.type('tenon config edit; echo "code $?"', 'Enter');
    await terminal.shows('editing');
    terminal.type('C-c');
    await terminal.shows('interrupted 1');
    terminal.type('C-c');
    // The terminal throws away what was typed before it handled the key.
    await terminal.shows('interrupted 2');
    terminal.type('done', 'Enter');
    await terminal.shows('code 0');
    expect(readFileSync(home.settings, 'utf8')).toContain('# done');
  });

  /** Types half a word and presses Tab; what a script complains about would be seen, too. */
  const completes = async (shell: Terminal, typed: string, shown: RegExp) => {
    shell.type(typed, 'Tab');
    expect(await shell.shows(shown)).not.toMatch(/no matches found|Expected|not found|error/i);
    shell.type('C-u');
  };
  const wherever = async (shell: Terminal) => {
    await shell.shows('ready');
    await completes(shell, 'tenon --think', /tenon --thinking$/m);
    await completes(shell, 'tenon --thinking=xh', /tenon --thinking=xhigh$/m);
    await completes(shell, 'tenon -p explain @no', /tenon -p explain @notes\/$/m);
    await completes(shell, 'tenon -p explain @notes/on', /tenon -p explain @notes\/one\\ file\.md$/m);
    await completes(shell, 'tenon --json conf', /tenon --json config$/m);
    await completes(shell, 'tenon config get kernel.', /tenon config get kernel\.prefer$/m);
  };
  beforeEach(() => home.put('work/notes/one file.md', ''));

  it('bash completes commands, flags, settings and files as they are typed', async () => {
    writeFileSync(join(home.folder, 'rc'), 'source <(tenon completion bash); echo ready\n');
    terminal = new Terminal(home, `bash --rcfile ${join(home.folder, 'rc')}`);
    await wherever(terminal);
  });

  it.skipIf(!has('zsh'))('zsh completes commands, flags, settings and files as they are typed', async () => {
    mkdirSync(join(home.folder, 'zsh'));
    writeFileSync(
      join(home.folder, 'zsh', '.zshrc'),
      "PROMPT='%% '; autoload -Uz compinit; compinit -u; source <(tenon completion zsh); echo ready\n",
    );
    terminal = new Terminal(home, 'zsh', { ZDOTDIR: join(home.folder, 'zsh') });
    await wherever(terminal);
  });

  it.skipIf(!has('fish'))('fish completes commands, flags, settings and files as they are typed', async () => {
    terminal = new Terminal(home, "fish --no-config --init-command 'tenon completion fish | source; echo ready'");
    await wherever(terminal);
  });
});
