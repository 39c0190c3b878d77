import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadAccelerator } from '@tenon/native';
import { completionScript } from '../src/completion.ts';
import { powershellQuote } from '../src/completion-powershell.ts';
import { tableWith } from './sample-table.ts';

/** The shells that scripts are tried in; PowerShell runs on none of our machines. */
const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** What a hostile pack would like a shell to run when somebody presses Tab. */
const evil = (file: string) => [
  `$(touch ${file})`,
  `\`touch ${file}\``,
  `'; touch ${file}; '`,
  `";touch ${file};"`,
  `a\ntouch ${file}`,
];

let folder: string;
let trap: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-completion-'));
  trap = join(folder, 'trap');
  // Stands for the program: completion scripts call it by the name that was typed.
  const program = join(folder, 'tenon');
  writeFileSync(
    program,
    `#!/bin/sh\n[ "$1" = __complete ] && printf '%s\\tabout it\\n' "$2-one" "$2-two" '$(touch ${trap})'\n`,
  );
  chmodSync(program, 0o755);
  const table = tableWith({
    'pack do': {
      summary: evil(trap).join(' '),
      arguments: [{ name: 'what', summary: 'x', choices: ['fine', ...evil(trap)] }],
      flags: { loud: { type: 'string', summary: evil(trap).join(' '), choices: ['yes', 'no'] } },
    },
    [`pack ${evil(trap)[0]}`]: { summary: 'x' },
    "it's": { summary: "it's" },
    talk: {
      summary: 'Talk',
      root: true,
      arguments: [{ name: 'prompt', summary: 'What', variadic: true, complete: 'files' }],
      flags: {
        voice: { type: 'string', summary: 'Voice', short: 'v', choices: ['high', 'low'] },
        loudly: { type: 'boolean', summary: 'Loud' },
      },
    },
  });
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs', 'notes one.md'), '');
  for (const shell of SHELLS) writeFileSync(join(folder, shell), completionScript(shell, table));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const environment = () => ({
  ...process.env,
  PATH: `${folder}:${process.env['PATH']}`,
  HOME: folder,
  XDG_CONFIG_HOME: folder,
});

/** Completes the last word of `line` in a real shell. Whatever a script complains about would stand in the middle of what is typed. */
const complete: Record<Shell, (line: string) => string[]> = {
  bash(line) {
    const script = `source ${folder}/bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tenon; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run('bash', ['--norc', '-c', script, 'bash', ...line.split(' ')]);
  },
  zsh(line) {
    // compadd works inside of a key press only; here a function of that name shows what it is given.
    const script = `compdef() { :; }; compset() { :; }; _files() { print -l -- FILES; }
      compadd() { local -a list; list=("\${(@P)@[-1]}"); local item; for item in $list; do [[ $item == "\${PREFIX##*=}"* ]] && print -r -- $item; done; }
      source ${folder}/zsh; words=("$@"); CURRENT=$#; PREFIX=\${@[-1]}; _tenon`;
    return run('zsh', ['-f', '-c', script, 'zsh', ...line.split(' ')]);
  },
  fish(line) {
    const script = `source ${folder}/fish; complete -C ${JSON.stringify(line)}`;
    return run('fish', ['--no-config', '-c', script]).map((text) => text.split('\t')[0] ?? '');
  },
};

function run(shell: Shell, words: readonly string[]): string[] {
  const { stdout, stderr } = spawnSync(shell, words, { env: environment(), cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  return lines(stdout);
}

function lines(text: string): string[] {
  return text.split('\n').filter(Boolean);
}

function isInstalled(shell: Shell): boolean {
  return spawnSync(shell, ['--version']).status === 0;
}

for (const shell of SHELLS) {
  const installed = isInstalled(shell);
  if (!installed) process.stderr.write(`SKIPPED: completion in ${shell} (${shell} is not installed)\n`);

  describe.skipIf(!installed)(`completion in ${shell}`, () => {
    const offers = (line: string) => complete[shell](line);

    it('offers first words, and second words behind them', () => {
      expect(offers('tenon ')).toEqual(expect.arrayContaining(['config', 'doctor', 'help', 'tool']));
      expect(offers('tenon conf')).toEqual(['config']);
      expect(offers('tenon config s').sort()).toEqual(['schema', 'set']);
    });

    it('offers the flags of the command and of all commands', () => {
      expect(offers('tenon config list --')).toEqual(expect.arrayContaining(['--json', '--changed', '--cwd']));
      expect(offers('tenon tool run --in')).toEqual(['--input']);
      expect(offers('tenon doctor --in')).not.toContain('--input');
    });

    it('offers the flags of the command that may be left out, and their values', () => {
      expect(offers('tenon --')).toEqual(expect.arrayContaining(['--cwd', '--loudly', '--voice']));
      expect(offers('tenon --vo')).toEqual(['--voice']);
      expect(offers('tenon --voice h')).toEqual(['high']);
      expect(offers('tenon -v h')).toEqual(['high']);
      expect(offers('tenon config list --')).not.toContain('--voice');
    });

    it('offers commands behind such flags, and files where a prompt has begun', () => {
      expect(offers('tenon --loudly conf')).toEqual(['config']);
      expect(offers('tenon ')).not.toContain('docs');
      const files = shell === 'zsh' ? ['FILES'] : [expect.stringMatching(/^docs\/?$/)];
      expect(offers('tenon --loudly explain d')).toEqual(files);
    });

    it('offers the files that an @ names', () => {
      // What zsh's own function makes of the mark is seen in a real terminal (packages/cli).
      const paths = shell === 'zsh' ? [['FILES'], ['FILES']] : [['@docs/'], ['@docs/notes one.md']];
      const found = ['tenon @do', 'tenon --loudly explain @docs/n'].map((line) =>
        offers(line).map((text) => text.replaceAll('\\', '')),
      );
      expect(found).toEqual(paths);
    });

    it('offers the choices of an argument and of a flag', () => {
      expect(offers('tenon completion z')).toEqual(['zsh']);
      expect(offers('tenon pack do --loud y')).toEqual(['yes']);
    });

    it('asks the program for settings and keys of slots', () => {
      expect(offers('tenon config get settings-')).toEqual(expect.arrayContaining(['settings-one', 'settings-two']));
      expect(offers('tenon tool run slot:tools-o').map((text) => text.replaceAll('\\', ''))).toEqual([
        'slot:tools-one',
      ]);
      expect(offers('tenon --set settings-t')).toEqual(['settings-two']);
    });

    it('knows that the value of a flag is not a word of the command', () => {
      expect(offers('tenon --cwd config ')).toEqual(expect.arrayContaining(['config', 'doctor']));
      expect(offers('tenon config get --set x settings-o')).toEqual(['settings-one']);
    });

    it('offers commands and topics behind help', () => {
      expect(offers('tenon help exit')).toEqual(['exit-codes']);
      expect(offers('tenon help config un')).toEqual(['unset']);
    });

    it('never runs anything that a manifest or a candidate says', () => {
      for (const line of [
        'tenon ',
        'tenon pack ',
        'tenon pack do ',
        'tenon pack do --',
        'tenon pack do --loud ',
        'tenon config get ',
        'tenon help pack ',
      ]) {
        offers(line);
      }
      expect(offers('tenon pack do ')).toContain('fine');
      expect(existsSync(trap)).toBe(false);
    });
  });
}

/** A part of a parsed script. */
interface TreeNode {
  readonly kind: string;
  readonly error?: true;
  readonly missing?: true;
  readonly children?: readonly TreeNode[];
}

describe('the script for PowerShell, seen by a grammar of PowerShell', () => {
  /** Every node, from the outside in. */
  const nodes = (node: TreeNode): TreeNode[] => [node, ...(node.children ?? []).flatMap(nodes)];
  const parse = async (content: string): Promise<TreeNode[]> => {
    const result = await (await loadAccelerator('syntax')).tree({ content, language: 'powershell' });
    if (!result.ok) throw new Error(`PowerShell: ${JSON.stringify(result)}`);
    return nodes(result.value);
  };

  it('has no mistakes, and knows the commands', async () => {
    const script = completionScript('powershell', tableWith());
    expect((await parse(script)).filter(({ error, missing }) => error || missing)).toEqual([]);
    expect(script).toContain("$script:TenonTable.Add('config set', @{ Subs = @()");
    expect(script).toContain("'doctor\tCheck the installation");
    expect((await parse("$a = 'open\n")).some(({ error, missing }) => error || missing)).toBe(true);
  });

  it('has the words of manifests in single quotes only, where nothing is expanded', async () => {
    // The letters outside of ASCII are quotes to PowerShell as well.
    const words = [
      ...evil('trap'),
      '"$(calc)"',
      '\u2019; calc; \u2018',
      '\u201b;calc',
      '`n',
      "it's",
      '@{a=1}',
      '$env:PATH',
    ];
    const table = tableWith({
      'pack do': {
        summary: words.join(' '),
        flags: { loud: { type: 'string', summary: words.join(' '), choices: words } },
      },
    });
    const script = completionScript('powershell', table);
    const own = completionScript(
      'powershell',
      tableWith({ 'pack do': { summary: 'x', flags: { loud: { type: 'string', summary: 'x', choices: words } } } }),
    );
    const shape = async (text: string) => (await parse(text)).map(({ kind }) => kind);
    expect(await shape(script)).toEqual(await shape(own));
  });

  it('doubles every character that PowerShell takes for a single quote', () => {
    expect(powershellQuote("a'b\u2018c\u2019d\u201ae\u201bf")).toBe(
      "'a''b\u2018\u2018c\u2019\u2019d\u201a\u201ae\u201b\u201bf'",
    );
  });
});
