/** Runs keys in a real vim, for comparing. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One run: a text and the keys pressed on it from its first character. */
export interface VimCase {
  readonly lines: readonly string[];
  readonly keys: string;
}

/** What is left of it. */
export interface VimOutcome {
  readonly lines: readonly string[];
  /** From 1. */
  readonly line: number;
  /** From 1, in bytes. */
  readonly col: number;
}

/** Whether a vim with what the comparison needs is there. */
export function hasRealVim(): boolean {
  const found = spawnSync('vim', ['--version'], { encoding: 'utf8' });
  return found.status === 0 && found.stdout.includes('+eval');
}

const SCRIPT = `
set nocompatible nomodeline noautoindent nosmartindent nocindent expandtab shiftwidth=2 tabstop=8 backspace=indent,eol,start
set nostartofline startofline encoding=utf-8 noswapfile nohlsearch wrapscan magic nojoinspaces cpoptions=aABceFs nrformats=
let results = []
for one in json_decode(join(readfile('CASES'), ''))
  enew!
  for name in ['"', 'a', '0']
    call setreg(name, '')
  endfor
  let @/ = ''
  let v:searchforward = 1
  call setline(1, one.lines)
  call cursor(1, 1)
  try
    silent! call feedkeys(one.keys, 'xt')
  catch
  endtry
  call add(results, {'lines': getline(1, '$'), 'line': line('.'), 'col': col('.')})
endfor
call writefile([json_encode(results)], 'RESULTS')
qall!
`;

/** Runs all cases in one process. */
export function runRealVim(cases: readonly VimCase[]): readonly VimOutcome[] {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-vim-'));
  try {
    const [input, output, script] = ['cases.json', 'results.json', 'run.vim'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(input, JSON.stringify(cases));
    writeFileSync(script, SCRIPT.replace('CASES', input).replace('RESULTS', output));
    execFileSync('vim', ['-u', 'NONE', '-N', '-i', 'NONE', '-n', '-es', '-S', script], {
      stdio: 'ignore',
      timeout: 60_000,
      env: { ...process.env, HOME: folder, TERM: 'dumb' },
    });
    return JSON.parse(readFileSync(output, 'utf8')) as VimOutcome[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
