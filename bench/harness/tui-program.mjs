/**
 * One program for both renderers, run in a pseudo-terminal: a transcript, an input line, a footer, and an answer that
 * comes token by token. `tui-program.mjs KIND MODULE ROWS TOKENS OUTPUT`; OUTPUT gets the CPU time of the answer.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import { tokens, transcript } from './tui-text.mjs';

const TOKENS_A_SECOND = 100;
const FOOTER = '~/project (main)  model  high   context 12.3%   $0.0123';
const [kind = '', module = '', rows = '', count = '', output = ''] = process.argv.slice(2);
const library = await import(pathToFileURL(module).href);
const show = kind === 'ours' ? await startOurs() : startPi();
await sleep(1500);
process.stdout.write('\x1b]2;answer\x07');
const [cpu, started] = [process.cpuUsage(), performance.now()];
for (const [at, token] of tokens(Number(count)).entries()) {
  const wait = started + (at * 1000) / TOKENS_A_SECOND - performance.now();
  if (wait > 0) await sleep(wait);
  show(token);
}
await sleep(200);
const { user, system } = process.cpuUsage(cpu);
const result = {
  cpuMs: (user + system) / 1000,
  wallMs: performance.now() - started,
  rssMB: process.memoryUsage.rss() / 2 ** 20,
};
writeFileSync(output, JSON.stringify(result));
process.stdout.write('\x1b]2;end\x07');
await sleep(200);
process.exit(0);

async function startOurs() {
  const { CURSOR_MARKER, loadAccelerator, MainScreen, ProcessTerminal } = library;
  const text = await loadAccelerator('text');
  const screen = new MainScreen({
    terminal: new ProcessTerminal(),
    text,
    onError(error) {
      throw error;
    },
  });
  let open = '';
  let done = 0;
  let last = '';
  const rule = { render: (width) => ['─'.repeat(width)] };
  screen.append(transcript(Number(rows)));
  for (const part of [{ render: () => [` ${last}`] }, rule, { render: () => [`> ${CURSOR_MARKER}`] }, rule])
    screen.add(part);
  screen.add({ render: () => [FOOTER] });
  screen.start();
  return (token) => {
    open += token;
    const wrapped = text.wrap(open.trimEnd(), screen.columns - 2);
    const isWhole = open.endsWith('\n');
    const final = wrapped.slice(done, isWhole ? undefined : -1);
    if (final.length > 0) screen.append(final.map((row) => ` ${row}`));
    [open, done, last] = isWhole ? ['', 0, ''] : [open, done + final.length, wrapped.at(-1) ?? ''];
    screen.requestFrame();
  };
}

function startPi() {
  const { Editor, ProcessTerminal, Text, TUI } = library;
  const same = (value) => value;
  const tui = new TUI(new ProcessTerminal());
  const all = transcript(Number(rows));
  for (let at = 0; at < all.length; at += 25) tui.addChild(new Text(all.slice(at, at + 25).join('\n'), 1, 0));
  const answer = new Text('', 1, 0);
  const selectList = { selectedPrefix: same, selectedText: same, description: same, scrollInfo: same, noMatch: same };
  const editor = new Editor(tui, { borderColor: same, selectList });
  for (const part of [answer, editor, new Text(FOOTER, 0, 0)]) tui.addChild(part);
  tui.setFocus(editor);
  tui.start();
  tui.requestRender();
  let text = '';
  return (token) => {
    text += token;
    answer.setText(text);
    tui.requestRender();
  };
}
