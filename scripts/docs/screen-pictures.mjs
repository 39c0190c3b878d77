#!/usr/bin/env node
/**
 * Takes the pictures of docs/guide/interactive.md and the recording of README: the real program in a pseudo-terminal, a model
 * server on loopback that plays a script, and what the terminal shows. Pictures become PNG by Chromium.
 * Run it by hand when the screen looks different: `node scripts/docs/screen-pictures.mjs`; with the word `subagents`, only the picture
 * of docs/guide/subagents.md.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { loadSource } from '../load-source.mjs';
import { REPOSITORY } from '../workspace.mjs';
import { svgRows, svgWindow, TerminalView } from './terminal-view.mjs';

const FOLDER = join(REPOSITORY, 'docs/guide/screen');
const READY = 'Say what to do';
const [ENTER, ESCAPE] = ['\r', '\x1b'];

const CART = `export interface Item {
  readonly price: number;
  readonly count: number;
}

export function total(items: readonly Item[]): number {
  let sum = 0;
  for (const item of items) sum += item.price;
  return sum;
}
`;

const EXPLAINED = `The loop adds each price **once**, so \`count\` never matters.

1. Multiply by \`count\`.
2. Add a test for it.

\`\`\`ts
export function total(items: readonly Item[]): number {
  return items.reduce((sum, { price, count }) => sum + price * count, 0);
}
\`\`\`
`;

const say = (text, more = {}) => ({ content: [{ type: 'text', text }], deltaSize: 8, paceMs: 12, ...more });
const call = (text, name, input, id) => ({
  content: [
    { type: 'text', text },
    { type: 'toolCall', id, name, arguments: input },
  ],
  deltaSize: 12,
  paceMs: 8,
});

/** What the model says, one after the other. */
function script() {
  return [
    call('I look at the code first.', 'read', { path: 'src/cart.ts' }, 'call_1'),
    call(
      '',
      'edit',
      {
        input:
          '*** Begin Patch\n*** Update File: src/cart.ts\n@@\n-  for (const item of items) sum += item.price;\n+  for (const { price, count } of items) sum += price * count;\n*** End Patch',
      },
      'call_2',
    ),
    say(EXPLAINED),
    call(
      'Now I fetch the list of prices.',
      'bash',
      { command: 'curl -s https://example.com/prices.csv -o data/prices.csv' },
      'call_3',
    ),
    say('Then I leave the prices as they are.'),
    say('Anything else?'),
  ];
}

const EXPLORED = {
  prices: 'how prices are added up',
  basket: 'where the basket is kept',
  orders: 'how an order is sent',
};

/** What the agent and its subagents say: one of them is done, one waits for a command, one asks. */
function sharedScript({ body }) {
  const { messages, system } = body;
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const of = (turns) => turns[Math.min(turn, turns.length - 1)];
  const name = JSON.stringify(system).includes('You are a subagent')
    ? Object.entries(EXPLORED).find(([, words]) => JSON.stringify(messages[0]).includes(`# Your task: ${words}`))?.[0]
    : undefined;
  const tokens = (input) => ({ usage: { input, output: 400 } });
  if (name === 'prices')
    return {
      ...of([
        call('', 'read', { path: 'src/cart.ts' }, 'call_p'),
        call('', 'yield', { result: 'In src/cart.ts, once for each item.' }, 'call_y'),
      ]),
      ...tokens(4_180),
    };
  if (name === 'basket')
    return { ...call('', 'bash', { command: 'sleep 20; grep -rn basket src' }, 'call_b'), ...tokens(6_720) };
  if (name === 'orders')
    return { ...call('', 'bash', { command: 'curl -s https://example.com/orders.json' }, 'call_o'), ...tokens(5_310) };
  const tasks = Object.entries(EXPLORED).map(([id, description]) => ({
    id,
    description,
    assignment: `Find out ${description}.`,
  }));
  return of([
    call('', 'search_tool_bm25', { query: 'subagents in parallel' }, 'call_f'),
    call('I ask three subagents, side by side.', 'task', { agent: 'task', tasks }, 'call_t'),
    say('Done.'),
  ]);
}

async function world(background, withModel, { startFakeModels }, reply = undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-pictures-'));
  const project = join(folder, 'shop');
  mkdirSync(join(project, 'src'), { recursive: true });
  writeFileSync(join(project, 'src/cart.ts'), CART);
  execFileSync('git', ['init', '-q', '-b', 'main', project]);
  const fake = await startFakeModels();
  if (reply) fake.otherwise(reply);
  else fake.reply(...script());
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    TENON_HOME: join(folder, 'tenon'),
    TENON_PROBE_LOCAL: 'false',
    TENON_SET: 'file-tools.edit.mode=apply_patch',
    LANG: 'C.UTF-8',
    ...(withModel && {
      ANTHROPIC_API_KEY: 'sk-ant-not-a-key-0001',
      ANTHROPIC_BASE_URL: fake.baseUrl('anthropic-messages'),
    }),
  };
  const view = new TerminalView(join(REPOSITORY, 'tenon'), [], { cwd: project, env, background });
  return {
    view,
    close: async () => {
      view.close();
      await fake.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A picture of the screen as PNG. */
function take(view, name, label) {
  const { columns, rows, palette } = view;
  const svg = svgWindow(svgRows(view.pieces(), palette.background), {
    columns,
    rows,
    background: palette.background,
    label,
  });
  const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
  const page = join(mkdtempSync(join(tmpdir(), 'tenon-page-')), 'page.html');
  writeFileSync(page, `<!doctype html><style>body { margin: 0 }</style>${svg}`);
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--hide-scrollbars',
    '--force-device-scale-factor=1.5',
  ];
  execFileSync(
    'chromium',
    [
      ...flags,
      `--user-data-dir=${page}.d`,
      `--window-size=${width},${height}`,
      `--screenshot=${join(FOLDER, `${name}.png`)}`,
      `file://${page}`,
    ],
    { stdio: 'ignore' },
  );
  process.stdout.write(`${name}.png\n`);
}

async function command(view, text, wanted) {
  view.type(text);
  await new Promise((resolve) => setTimeout(resolve, 400));
  view.type(ENTER);
  await view.shows(wanted);
}

async function closeList(view) {
  view.type(ESCAPE);
  await view.shows(READY);
}

/** Frames of the recording: what the screen showed, and for how long. */
class Recording {
  frames = [];

  note(view, ms) {
    this.frames.push({ pieces: view.pieces(), ms });
  }

  write(view, file, label) {
    const { columns, rows, palette } = view;
    const whole = this.frames.reduce((sum, { ms }) => sum + ms, 0);
    let at = 0;
    const styles = [];
    const groups = this.frames.map(({ pieces, ms }, index) => {
      const [from, to] = [(at / whole) * 100, ((at + ms) / whole) * 100];
      at += ms;
      const isLast = index === this.frames.length - 1;
      styles.push(
        `@keyframes f${index} { 0% { opacity: ${from === 0 ? 1 : 0} } ${from.toFixed(2)}% { opacity: 1 } ${to.toFixed(2)}% { opacity: ${isLast ? 1 : 0} } 100% { opacity: ${isLast ? 1 : 0} } } .f${index} { animation: f${index} ${whole}ms step-end infinite }`,
      );
      return `<g class="f${index}">${svgRows(pieces, palette.background).join('')}</g>`;
    });
    const still = `@media (prefers-reduced-motion: reduce) { g { animation: none !important; opacity: 0 } .f${this.frames.length - 1} { opacity: 1 } }`;
    writeFileSync(
      file,
      svgWindow(groups, {
        columns,
        rows,
        background: palette.background,
        label,
        style: `${styles.join(' ')} ${still}`,
      }).replace(
        '<style>',
        '<!-- Made by `node scripts/docs/screen-pictures.mjs` from a real run. Do not edit. -->\n<style>',
      ),
    );
  }
}

/** Subagents at work, one of which asks. */
async function takeSubagents(fakes) {
  const { view, close } = await world('dark', true, fakes, sharedScript);
  await view.shows(READY);
  await view.shows('workspace-write');
  view.type('explore prices, basket and orders, with a subagent for each');
  await view.shows('for each');
  view.type(ENTER);
  await view.shows('Allow bash?');
  await view.shows('✓ prices');
  await view.shows('● basket');
  take(view, 'subagents', 'Three subagents: one is done, one works, one asks before a command that needs the network');
  await close();
}

async function main() {
  mkdirSync(FOLDER, { recursive: true });
  const fakes = await loadSource(REPOSITORY, "export { startFakeModels } from './packages/model-fakes/src/index.ts';");
  await takeSubagents(fakes);
  if (process.argv[2] === 'subagents') return;

  const first = await world('dark', false, fakes);
  await first.view.shows('Welcome to Tenon');
  await first.view.shows('workspace-write');
  take(first.view, 'first-run', 'The first start: what works without a key, and how to log in');
  await first.close();

  for (const background of ['dark', 'light']) {
    const { view, close } = await world(background, true, fakes);
    const recording = new Recording();
    await view.shows(READY);
    await view.shows('workspace-write');
    recording.note(view, 1200);
    view.type('why is the total wrong? fix it');
    await view.shows('fix it');
    recording.note(view, 1200);
    view.type(ENTER);
    await view.shows('I look at');
    recording.note(view, 500);
    await view.shows('edit src/cart.ts');
    recording.note(view, 700);
    await view.shows('The loop adds');
    recording.note(view, 700);
    await view.shows('reduce');
    await view.shows(READY);
    recording.note(view, 2600);
    take(view, `task-${background}`, 'A task: a change with marked words, and an answer with coloured code');
    if (background === 'light') {
      await close();
      continue;
    }
    view.type('fetch the prices');
    await view.shows('fetch the prices');
    recording.note(view, 900);
    view.type(ENTER);
    await view.shows('Allow bash?');
    recording.note(view, 2600);
    take(view, 'approval', 'A question before a risky command, with the whole command and the reasons');
    await new Promise((resolve) => setTimeout(resolve, 600));
    view.type('n');
    await view.shows('as they are');
    recording.note(view, 1500);
    await command(view, '/tree ', 'Session tree');
    take(view, 'tree', 'The tree of the session');
    recording.note(view, 1800);
    await closeList(view);
    recording.write(
      view,
      join(REPOSITORY, 'docs/screen.svg'),
      'A recording: Tenon reads a file, changes it, asks before a command that needs the network, and shows the tree of the session',
    );
    await command(view, '/model ', 'without a key');
    take(view, 'models', 'The list of models');
    await closeList(view);
    await command(view, '/settings ', 'Settings');
    take(view, 'settings', 'Settings, with a filter');
    await closeList(view);
    view.type('/');
    await view.shows('/compact');
    take(view, 'commands', 'Slash commands while typing');
    await close();
  }
}

await main();
