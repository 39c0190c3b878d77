/** What an isolated pack brings to the screen: the built program on a real pseudo-terminal, a pack in its own process under the real sandbox. */
import { spawnSync } from 'node:child_process';
import { calls, READY, says, ScreenWorld } from '@tenon/test-kit/screen-world';
import { KEYS } from '@tenon/test-kit/terminal-program';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** Where there is no sandbox, no isolated pack starts. */
const hasSandbox = spawnSync('bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;

const MANIFEST = {
  name: 'notes',
  version: '1.0.0',
  type: 'module',
  tenon: {
    id: 'notes',
    kernel: '^1',
    entry: 'plugin.ts',
    contributes: {
      tools: { notes_count: { summary: 'Count notes', risk: 'read' } },
      renderers: { notes_count: {} },
      keybindings: { 'notes.add': { summary: 'Add a note', keys: ['a', 'enter', 'alt+x'] } },
      'screen-themes': { dusk: {} },
      'status-items': { 'notes.count': { side: 'left', order: 50 } },
    },
  },
};

const PLUGIN = `
import { definePlugin } from '@tenon/kernel';
import { userInterface } from '@tenon/host';
import { type CallLines, keybindings, renderers, screenThemes, statusItems } from '@tenon/screen-slots/api';
import { tools } from '@tenon/tools/api';

let notes = 0;
const card: CallLines = {
  lines: async ({ input, result, width }) => [
    'CARD of ' + input.of + ' in ' + (width > 0) + ', ' + result.content[0].text,
    '\\u001b[2J\\u001b]0;stolen\\u0007second \\u001b[31mred\\u001b[0m',
  ],
};

export default definePlugin({
  id: 'notes',
  activate(ctx) {
    ctx.contribute(tools, 'notes_count', {
      description: 'Counts notes.',
      parameters: { type: 'object', properties: { of: { type: 'string' } } },
      touches: () => ({}),
      execute: async () => ({ content: [{ type: 'text', text: notes + ' notes' }] }),
    });
    ctx.contribute(renderers, 'notes_count', card);
    ctx.contribute(keybindings, 'notes.add', {
      run: async (call) => {
        notes += 1;
        const ui = await ctx.find(userInterface);
        ui.notify('note ' + notes + ' with ' + JSON.stringify(call));
      },
    });
    ctx.contribute(screenThemes, 'dusk', { name: 'dusk', colors: { accent: '#123456' } });
    ctx.contribute(statusItems, 'notes.count', { latest: async () => '\\u001b[8m' + notes + ' kept' });
  },
});`;

describe.skipIf(!hasSandbox)('an isolated pack on the screen', () => {
  let world: ScreenWorld;
  beforeEach(() => {
    world = new ScreenWorld();
    world.home.put('home/data/packs/notes/package.json', JSON.stringify(MANIFEST));
    world.home.put('home/data/packs/notes/plugin.ts', PLUGIN);
  });
  afterEach(() => world.close());

  it('has a key, a part of the status line, a theme, and writes the card of its own tool', async () => {
    const env = await world.withModel(calls('notes_count', { of: 'today' }), says('Counted.'));
    const program = world.open([], env, { columns: 120 });
    await program.shows(READY);
    await program.shows('notes: 0 kept');
    program.type('\x1bx');
    await program.shows('note 1 with {}');
    await program.shows('notes: 1 kept');
    // Keys that type or send stay the user's, whatever a pack wishes for.
    program.type('a banana', KEYS.enter);
    await program.shows('❯ a banana');
    if (!program.all.includes('Counted.')) await program.shows(/CARD of today|Allow notes_count/);
    if (program.screen.includes('Allow notes_count')) {
      await program.rests(900);
      program.type('y');
    }
    await program.shows('Counted.');
    await program.shows('CARD of today in true, 1 notes');
    await program.shows('second red');
    expect(program.output).not.toContain('\x1b[2J');
    expect(program.output).not.toContain('stolen');
    expect(program.all).not.toContain('note 2');
    program.type('/theme ', KEYS.enter);
    await program.shows('dusk');
  });
});
