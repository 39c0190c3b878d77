/**
 * A program with a screen, for tests in real terminals: what is typed becomes a finished row, `!N` adds N rows. Ctrl-T
 * takes the whole screen and gives it back, Ctrl-E runs another program. `fullscreen` as argument draws on the alternate
 * screen; `TENON_DEMO_GONE` names a file that is written when the terminal is gone.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';

import { loadAccelerator } from '@tenon/native';

import {
  CURSOR_MARKER,
  FactFinder,
  FullScreen,
  MainScreen,
  ProcessTerminal,
  type ScreenOptions,
} from '../../src/index.ts';

let draft = '';
let serial = 0;
let giveBack: (() => void) | undefined;
const facts = new FactFinder({ environment: process.env });
const options: ScreenOptions = {
  terminal: new ProcessTerminal(),
  text: await loadAccelerator('text', 'js'),
  facts,
  onError(error) {
    throw error;
  },
  onGone(error) {
    writeFileSync(process.env['TENON_DEMO_GONE'] ?? '/dev/null', `gone: ${error.message}`);
    process.exit(0);
  },
  onInput(input) {
    if (input.kind !== 'key') return false;
    const { name, ctrl } = input.key;
    if (ctrl && name === 'z') screen.suspend();
    else if (ctrl && name === 'd') end();
    else if (ctrl && name === 'x') setImmediate(fail);
    else if (ctrl && name === 't') togglePage();
    else if (ctrl && name === 'e') void screen.handOver(runOther);
    else if (name === 'enter') submit();
    else if (input.key.text === '') return false;
    else draft += input.key.text;
    screen.requestFrame();
    return true;
  },
};
const isFull = process.argv.includes('fullscreen');
const screen = isFull ? new FullScreen({ ...options, rowsLeftBehind: 2 }) : new MainScreen(options);

function submit(): void {
  const many = /^!(\d+)$/.exec(draft)?.[1];
  if (many === undefined) screen.append([`said ${draft}`]);
  else for (let left = Number(many); left > 0; left -= 1) screen.append([`finished row ${serial++}`]);
  draft = '';
}

function togglePage(): void {
  if (giveBack) giveBack();
  giveBack = giveBack
    ? undefined
    : screen.takeOver({ render: () => [], renderScreen: (width, height) => [`page of ${width}x${height}`, draft] });
}

async function runOther(): Promise<void> {
  const other = spawn(
    'sh',
    ['-c', 'echo "other program"; stty -a | grep -o -- "-\\?icanon"; read -r line; echo "it read $line"'],
    {
      stdio: 'inherit',
    },
  );
  await once(other, 'exit');
}

function end(): void {
  screen.stop({ keepLive: false });
  process.stdout.write('bye\n');
}

function fail(): never {
  throw new Error('nobody catches this');
}

screen.add({ render: (width) => ['='.repeat(width), `> ${draft}${CURSOR_MARKER}`, `live of ${process.pid}`] });
screen.start();
