/** What is drawn again from frame to frame, and what is not. */
import type { AgentEvent } from '@tenon/agent/api';
import { loadMarkdown } from '@tenon/components';
import { loadAccelerator } from '@tenon/native';
import { MainScreen, type Terminal, type TerminalHandlers } from '@tenon/screen';
import { until } from '@tenon/test-kit/waiting';
import { afterEach, describe, expect, it } from 'vitest';
import { App, type AppParts } from '../src/app.ts';
import { generalRenderer } from '../src/cards/index.ts';
import { Keymap } from '../src/keys/keymap.ts';
import { newAnswerBlock } from '../src/transcript/answer-blocks.ts';
import { plainTheme } from './plain-theme.ts';

const text = await loadAccelerator('text');
const markdown = await loadMarkdown();

class RecordingTerminal implements Terminal {
  columns = 60;
  rows = 20;
  written = '';
  handlers: TerminalHandlers | undefined;

  write(data: string): boolean {
    this.written += data;
    return true;
  }

  open(handlers: TerminalHandlers): void {
    this.handlers = handlers;
  }

  close(): void {
    this.handlers = undefined;
  }

  stopProcess(onContinue: () => void): void {
    onContinue();
  }
}

const screens: MainScreen[] = [];
afterEach(() => screens.splice(0).forEach((screen) => screen.stop()));

/** An app with one component above the prompt, which says how often it was drawn. */
function newApp() {
  const terminal = new RecordingTerminal();
  const screen = new MainScreen({
    terminal,
    text,
    frameInterval: 0,
    onError: (fault) => {
      throw fault;
    },
  });
  screens.push(screen);
  const parts = {
    ctx: {},
    call: { cwd: '/work' },
    text,
    screen,
    keymap: new Keymap(),
    theme: () => plainTheme,
    isPlain: false,
    transcript: {
      renderer: () => generalRenderer,
      newAnswer: () => newAnswerBlock(markdown, { theme: plainTheme, text }),
      thoughts: 'folded',
    },
  } as unknown as AppParts;
  const app = new App(parts);
  let draws = 0;
  app.above.push({ render: () => [`drawn ${(draws += 1)} times`] });
  const typed: string[] = [];
  app.setPrompt({ render: () => ['> '], handleInput: (data) => void typed.push(data) }, () => undefined);
  screen.start();
  return { app, terminal, typed, draws: () => draws };
}

const delta = (part: string) =>
  ({
    type: 'message_update',
    assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: part },
  }) as unknown as AgentEvent;

/** Lets an answer grow by a word, and waits until it is on the screen. */
async function grow({ app, terminal }: ReturnType<typeof newApp>, word: string): Promise<void> {
  app.transcript.on(delta(`${word} `));
  await until(() => terminal.written.includes(word));
}

describe('while an answer comes', () => {
  it('nothing but the transcript is drawn again', async () => {
    const desk = newApp();
    await until(() => desk.draws() > 0);
    const before = desk.draws();
    for (const word of ['alpha', 'beta', 'gamma']) await grow(desk, word);
    expect(desk.draws()).toBe(before);
    expect(desk.terminal.written).toContain(`drawn ${before} times`);
  });

  it('blocks that are closed are never drawn live, also when a frame is due before they are moved', async () => {
    const desk = newApp();
    await until(() => desk.draws() > 0);
    desk.terminal.written = '';
    // The frame that is asked for first is drawn before anything that the answer leaves for later.
    desk.app.requestFrame();
    desk.app.transcript.on(delta(Array.from({ length: 30 }, (_, row) => `paragraph-${row}-`).join('\n\n')));
    await until(() => desk.terminal.written.includes('paragraph-29-'));
    await grow(desk, ' and-more');
    for (let row = 0; row < 30; row += 1) expect(desk.terminal.written.split(`paragraph-${row}-`)).toHaveLength(2);
  });

  it('what asks for a frame is drawn', async () => {
    const desk = newApp();
    await until(() => desk.draws() > 0);
    await grow(desk, 'alpha');
    const before = desk.draws();
    desk.app.requestFrame();
    await until(() => desk.draws() > before);
  });

  it('what moves by itself goes along, without the parts beside it, and moves also when nothing else comes', async () => {
    const desk = newApp();
    let moves = 0;
    const spinner = { render: () => [`moved ${(moves += 1)} times`] };
    desk.app.above.push(spinner);
    await until(() => desk.draws() > 0 && moves > 0);
    await grow(desk, 'alpha');
    const [drawn, moved] = [desk.draws(), moves];
    desk.app.move(spinner);
    await grow(desk, 'beta');
    expect(moves).toBe(moved + 1);
    await until(() => {
      desk.app.move(spinner);
      return moves >= moved + 3;
    });
    expect(desk.draws()).toBe(drawn);
  });

  it('a key is shown', async () => {
    const desk = newApp();
    await until(() => desk.draws() > 0);
    await grow(desk, 'alpha');
    const before = desk.draws();
    desk.terminal.handlers?.onInput(Buffer.from('x'));
    await until(() => desk.draws() > before);
    expect(desk.typed).toEqual(['x']);
  });

  it('another size of the terminal is drawn', async () => {
    const desk = newApp();
    await until(() => desk.draws() > 0);
    await grow(desk, 'alpha');
    const before = desk.draws();
    desk.terminal.rows = 15;
    desk.terminal.handlers?.onResize();
    await until(() => desk.draws() > before);
  });

  it('its end and every other event draw all', async () => {
    const desk = newApp();
    await until(() => desk.draws() > 0);
    await grow(desk, 'alpha');
    const before = desk.draws();
    desk.app.transcript.on({ type: 'notice', level: 'info', text: 'Something else.' } as AgentEvent);
    await until(() => desk.draws() > before);
  });
});
