import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { agentFactory } from '@tenon/agent/api';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import { promptHistory, type Session, sessionStore } from '@tenon/sessions/api';
import { afterEach, describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import { modes } from '../src/api.ts';
import { userInterface } from '@tenon/host';
import { mayBeInput, readPiped } from '../src/input.ts';
import plugin from '../src/plugin.ts';
import { createWorld, type WorldOptions } from '@tenon/test-kit/agent-world';
import { runAgent } from '@tenon/test-kit/command-run';
import { commandTool } from '@tenon/test-kit/kernel';

const worlds: { remove(): Promise<void> }[] = [];
afterEach(async () => void (await Promise.all(worlds.splice(0).map((made) => made.remove()))));

async function world(options: WorldOptions = {}) {
  const made = await createWorld({
    plugins: ['modes', 'print-mode'],
    ...options,
  });
  worlds.push(made);
  return made;
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const texts = (requests: Awaited<ReturnType<typeof world>>['requests'], at = 0) =>
  JSON.stringify(requests[at]?.messages);

describe('the plugin', () => {
  it('keeps the plugin contract', () => pluginContract({ source, plugin }));

  it('has a user interface where nobody answers as long as no mode brings one', async () => {
    const { kernel } = await world();
    const ui = await kernel.find(userInterface);
    expect(ui.canAsk()).toBe(false);
    expect(await ui.confirm('Sure?', 'Really?')).toBe(false);
    expect(await ui.select('Which?', ['a', 'b'])).toBeUndefined();
  });

  it('lets no turn begin while the reader of events is far behind', async () => {
    const { kernel } = await world({ script: [{ text: 'ok' }] });
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    let turns = 0;
    kernel.install(
      inlineCandidate(
        {
          id: 'flooding',
          activate: (ctx) =>
            void ctx.contribute(modes, 'flooding', {
              run: async (call) => {
                const writer = call.eventWriter();
                for (let n = 0; n < 400; n++) writer.send({ type: String(n) });
                const { agent } = await call.open();
                agent.subscribe(({ type }) => void (type === 'message_update' && turns++));
                const running = agent.prompt('go');
                await new Promise((resolve) => setTimeout(resolve, 50));
                expect(turns).toBe(0);
                release();
                await running;
                expect(turns).toBe(1);
                await agent.dispose();
                return 7;
              },
            }),
        },
        { contributes: { modes: { flooding: { summary: 'for a test' } } } },
      ),
    );
    const { code } = await runAgent(kernel, ['go'], { flags: { mode: 'flooding' }, io: { out: () => gate } });
    expect(code).toBe(7);
  });
});

describe('the input', () => {
  it('joins the words of the prompt and sends files and piped text along', async () => {
    const { kernel, home, requests } = await world();
    writeFileSync(join(home, 'notes.md'), 'remember the milk\n');
    await runAgent(kernel, ['what', 'is', '@notes.md', 'about?'], { piped: 'from the pipe', cwd: home });
    const sent = texts(requests);
    expect(sent).toContain('what is @notes.md about?');
    expect(sent).toContain('remember the milk');
    expect(sent).toContain('from the pipe');
  });

  it('takes piped text as the prompt when there is no other', async () => {
    const { kernel, requests } = await world();
    await runAgent(kernel, [], { piped: 'say hello' });
    expect(requests[0]?.messages).toMatchObject([{ role: 'user', content: 'say hello' }]);
  });

  it('takes files as the prompt when there is no other word, but not an image alone', async () => {
    const { kernel, home, requests } = await world();
    writeFileSync(join(home, 'task.md'), 'water the plants');
    writeFileSync(join(home, 'shot.png'), PNG);
    await runAgent(kernel, ['@task.md'], { cwd: home });
    expect(requests[0]?.messages).toMatchObject([{ role: 'user', content: 'water the plants' }]);
    await expect(runAgent(kernel, ['@shot.png'], { cwd: home })).rejects.toMatchObject({ code: 'MODES_NOTHING_TO_DO' });
  });

  it('sends an image with the prompt, whatever model is chosen: the registry finds one that sees', async () => {
    const { kernel, home, requests } = await world();
    writeFileSync(join(home, 'shot.png'), PNG);
    await runAgent(kernel, ['@shot.png', 'look'], { flags: { model: 'test/seeing' }, cwd: home });
    expect(texts(requests)).toContain('"mimeType":"image/png"');
    requests.length = 0;
    await runAgent(kernel, ['@shot.png', 'look'], { cwd: home });
    expect(texts(requests)).toContain('"mimeType":"image/png"');
  });

  it('says what is wrong with a file that is missing, binary or too big', async () => {
    const { kernel, home } = await world();
    writeFileSync(join(home, 'binary'), Buffer.from([0, 1, 2, 255]));
    writeFileSync(join(home, 'big.txt'), 'x'.repeat(600_000));
    for (const [word, code] of [
      ['@gone', 'MODES_FILE_MISSING'],
      ['@binary', 'MODES_FILE_BINARY'],
      ['@big.txt', 'MODES_FILE_TOO_BIG'],
    ] as const)
      await expect(runAgent(kernel, [word], { cwd: home })).rejects.toMatchObject({ code });
    await expect(runAgent(kernel, ['@gone'], { cwd: home })).rejects.toMatchObject({ exit: 'usage' });
  });

  it('says what to do about a pipe that is too long or no text, and does not read it to its end', async () => {
    const { kernel, requests } = await world();
    await expect(runAgent(kernel, ['sum it up'], { piped: 'x'.repeat(600_000) })).rejects.toMatchObject({
      code: 'MODES_PIPE_TOO_BIG',
      next: expect.not.stringContaining('@'),
    });
    const noText = [Buffer.from('a\0b'), Buffer.from(Array.from({ length: 300 }, (_, at) => 128 + (at % 128)))];
    for (const piped of noText)
      await expect(runAgent(kernel, [], { piped })).rejects.toMatchObject({ code: 'MODES_PIPE_BINARY' });
    expect(requests).toHaveLength(0);
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(100_000, 'x');
      })(),
    ) as unknown as NodeJS.ReadStream;
    const read = await readPiped(endless, new AbortController().signal, () => undefined);
    expect(read.length).toBeGreaterThan(512 * 1024);
    expect(read.length).toBeLessThan(1024 * 1024);
  });

  it('takes @@ and quoted prompts for text', async () => {
    const { kernel, requests } = await world();
    await runAgent(kernel, ['@@home', 'now']);
    await runAgent(kernel, ['@ada what do you think?']);
    expect(texts(requests, 0)).toContain('@home now');
    expect(texts(requests, 1)).toContain('@ada what do you think?');
  });

  it('attaches files that are named within a prompt, images and folders too', async () => {
    const { kernel, home, requests } = await world();
    writeFileSync(join(home, 'notes.md'), 'remember the milk\n');
    writeFileSync(join(home, 'shot.png'), PNG);
    mkdirSync(join(home, 'src', 'inner'), { recursive: true });
    writeFileSync(join(home, 'src', 'cart.ts'), 'export {};\n');
    await runAgent(kernel, ['see @notes.md, (@shot.png) and @src/: what is missing?'], { cwd: home });
    const sent = texts(requests);
    expect(sent).toContain('see @notes.md, (@shot.png) and @src/: what is missing?');
    expect(sent).toContain('remember the milk');
    expect(sent).toContain('"mimeType":"image/png"');
    expect(sent).toMatch(/cart\.ts\\ninner\//);
  });

  it('sends quoted prompts one after the other, and words without quotes as one', async () => {
    const { kernel, requests } = await world({ script: [{ text: 'yes' }] });
    const { out } = await runAgent(kernel, ['first task', 'then', 'that', 'last task'], { piped: 'the log' });
    expect(out).toBe('yes\n\nyes\n\nyes\n');
    const said = requests.at(-1)?.messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
    expect(said?.slice(-3)).toEqual(['first task', 'then that', 'last task']);
    expect(texts(requests, 0)).toContain('the log');
  });

  it('sends images of --image along, and refuses what is none', async () => {
    const { kernel, home, requests } = await world();
    writeFileSync(join(home, 'shot.png'), PNG);
    writeFileSync(join(home, 'notes.md'), 'text');
    await runAgent(kernel, ['look'], { flags: { print: true, image: ['shot.png'] }, cwd: home });
    expect(texts(requests)).toContain('"mimeType":"image/png"');
    const wrong = runAgent(kernel, ['look'], { flags: { print: true, image: ['notes.md'] }, cwd: home });
    await expect(wrong).rejects.toMatchObject({ code: 'MODES_NOT_AN_IMAGE', exit: 'usage' });
  });

  it('refuses two forms of output, and a flag that the mode would ignore', async () => {
    const { kernel } = await world({ plugins: ['modes', 'print-mode', 'rpc-mode'] });
    const run = (flags: Record<string, string | boolean>) => runAgent(kernel, [], { flags, piped: '' });
    await expect(run({ json: true, 'output-format': 'text' })).rejects.toMatchObject({ code: 'MODES_FORMAT_FLAGS' });
    await expect(run({ mode: 'rpc', 'max-turns': '3' })).rejects.toMatchObject({ code: 'MODES_FLAG_UNUSED' });
  });

  it('refuses a rule for tools that would do nothing', async () => {
    const { kernel } = await world({ tools: { bash: commandTool(async () => ({ content: [] })) } });
    const run = (rule: string) => runAgent(kernel, ['x'], { flags: { print: true, 'allowed-tools': [rule] } });
    for (const rule of ['Bahs(git log:*)', 'Bash(git log', '()', 'WebFetch(domain:example.com)'])
      await expect(run(rule)).rejects.toMatchObject({ code: 'MODES_TOOL_RULE', exit: 'usage' });
    const folder = runAgent(kernel, ['x'], { flags: { print: true, 'add-dir': ['/no/such'] } });
    await expect(folder).rejects.toMatchObject({ code: 'MODES_FOLDER_MISSING' });
  });

  it('refuses to start without anything to do, and a mode that is not there', async () => {
    const { kernel } = await world();
    await expect(runAgent(kernel, [], { flags: {}, io: { interactive: true } })).rejects.toMatchObject({
      code: 'MODES_NOTHING_TO_DO',
    });
    await expect(runAgent(kernel, ['x'], { flags: { mode: 'jsn' } })).rejects.toThrow('json');
  });
});

describe('the session', () => {
  const newest = async (kernel: Awaited<ReturnType<typeof world>>['kernel'], cwd: string) =>
    (await (await kernel.find(sessionStore)).list({ cwd }))[0];

  it('is new by default, and can be continued, resumed by the first letters of its id, forked, or left out', async () => {
    const { kernel, home, requests } = await world();
    await runAgent(kernel, ['one'], { cwd: home });
    const first = await newest(kernel, home);
    await runAgent(kernel, ['two'], { flags: { continue: true }, cwd: home });
    await runAgent(kernel, ['three'], { flags: { resume: first?.id.slice(0, 8) ?? '' }, cwd: home });
    expect(requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    await runAgent(kernel, ['four'], { flags: { fork: first?.id ?? '' }, cwd: home });
    await runAgent(kernel, ['five'], { flags: { session: first?.file ?? '' }, cwd: home });
    expect(texts(requests, 4)).not.toContain('four');
    await runAgent(kernel, ['six'], { flags: { 'no-session': true }, cwd: home });
    const all = await (await kernel.find(sessionStore)).list({ cwd: home });
    expect(all).toHaveLength(2);
    expect(all.find(({ id }) => id !== first?.id)?.parentSession).toBe(first?.file);
  });

  it('begins in a file that is not there yet, and goes on in it', async () => {
    const { kernel, home, requests } = await world();
    for (const word of ['one', 'two']) await runAgent(kernel, [word], { flags: { session: 'mine.jsonl' }, cwd: home });
    expect(requests.at(-1)?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(readFileSync(join(home, 'mine.jsonl'), 'utf8').split('\n')[0]).toContain(`"cwd":"${home}"`);
    expect(await (await kernel.find(sessionStore)).list()).toEqual([]);
    await expect(runAgent(kernel, ['x'], { flags: { session: './mine' }, cwd: home })).rejects.toMatchObject({
      code: 'SESSION_FILE_NAME',
    });
  });

  it('that is named by nothing is none, though there is only one', async () => {
    const { kernel, home } = await world();
    await runAgent(kernel, ['one'], { cwd: home });
    for (const flag of ['resume', 'fork', 'session'])
      await expect(runAgent(kernel, ['x'], { flags: { [flag]: '' }, cwd: home })).rejects.toMatchObject({
        code: 'SESSION_ID_EMPTY',
      });
  });

  it('tells what is missing from it', async () => {
    const { kernel, home, requests } = await world();
    await runAgent(kernel, [], { piped: 'word '.repeat(101_000), cwd: home });
    rmSync(join(home, 'data', 'blobs'), { recursive: true });
    const { err } = await runAgent(kernel, ['go on'], { flags: { continue: true, print: true }, cwd: home });
    expect(err).toMatch(/^Session [0-9a-f]+: the file of a text or image is gone from .*blobs \(entry [0-9a-f]{8}\)/);
    expect(texts(requests, 1)).toContain('is missing');
    expect(texts(requests, 1)).not.toContain('blob:sha256');
  });

  it('a session that another process writes can still be forked', async () => {
    const { kernel, home, requests } = await world();
    const store = await kernel.find(sessionStore);
    const busy: Session = await store.create({ cwd: home });
    const { agent } = await (await kernel.find(agentFactory)).create({ session: busy, cwd: home });
    await agent.prompt('kept open');
    await runAgent(kernel, ['go on'], { flags: { fork: busy.id }, cwd: home });
    expect(texts(requests, 1)).toContain('kept open');
    await agent.dispose();
  });

  it('keeps the prompt for recall, but not what was only piped in, nor with --no-session', async () => {
    const { kernel } = await world();
    await runAgent(kernel, ['fix', 'it'], { piped: 'the log' });
    await runAgent(kernel, [], { piped: 'only piped' });
    await runAgent(kernel, ['off the record'], { flags: { print: true, 'no-session': true } });
    expect(await (await kernel.find(promptHistory)).recent(5)).toEqual(['fix it']);
  });

  it('refuses flags that contradict each other', async () => {
    const { kernel } = await world();
    await expect(runAgent(kernel, ['x'], { flags: { continue: true, 'no-session': true } })).rejects.toMatchObject({
      message: expect.stringContaining('--continue, --no-session'),
    });
  });

  it('takes model, thinking, tools and system prompts from the flags', async () => {
    const { kernel, home, requests } = await world();
    writeFileSync(join(home, 'role.md'), 'You are a poet.');
    const flags = {
      model: 'seeing',
      thinking: 'high',
      'system-prompt': '@role.md',
      'append-system-prompt': 'Be brief.',
      'no-session': true,
    };
    await runAgent(kernel, ['x'], { flags, cwd: home });
    expect(requests[0]).toMatchObject({
      model: { id: 'seeing' },
      thinking: 'high',
      systemPrompt: 'You are a poet.\n\nBe brief.',
    });
    await expect(runAgent(kernel, ['x'], { flags: { tools: 'hamer' } })).rejects.toMatchObject({
      code: 'AGENT_TOOL_UNKNOWN',
    });
  });
});

describe('standard input', () => {
  it('is not opened where nothing can come from it', () => {
    const read = (path: string) => {
      const file = openSync(path, 'r');
      try {
        return mayBeInput(file);
      } finally {
        closeSync(file);
      }
    };
    expect(read(devNull)).toBe(false);
    expect(read(import.meta.filename)).toBe(true);
    expect(read('/dev/zero')).toBe(true);
    // A closed descriptor: whoever reads it takes it for an empty one.
    expect(mayBeInput(987)).toBe(true);
  });
});
