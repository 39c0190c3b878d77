/** A program with a screen, for tests in real terminals: what is typed becomes a finished row, `!N` adds N rows. */
import { loadAccelerator } from '@tenon/native';

import { CURSOR_MARKER, MainScreen, ProcessTerminal } from '../../src/index.ts';

let draft = '';
let serial = 0;
const screen = new MainScreen({
  terminal: new ProcessTerminal(),
  text: await loadAccelerator('text', 'js'),
  onError(error) {
    throw error;
  },
  onInput(input) {
    if (input.kind !== 'key') return false;
    const { name, ctrl } = input.key;
    if (ctrl && name === 'z') screen.suspend();
    else if (ctrl && name === 'd') end();
    else if (ctrl && name === 'x') setImmediate(fail);
    else if (name === 'enter') submit();
    else draft += input.key.text;
    screen.requestFrame();
    return true;
  },
});

function submit(): void {
  const many = /^!(\d+)$/.exec(draft)?.[1];
  if (many === undefined) screen.append([`said ${draft}`]);
  else for (let left = Number(many); left > 0; left -= 1) screen.append([`finished row ${serial++}`]);
  draft = '';
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
