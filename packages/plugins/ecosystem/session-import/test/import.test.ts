import {
  cpSync,
  rmSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  appendFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { pluginContract } from '@tenon/kernel/testing';
import { folders } from '@tenon/host';
import { sessionStore } from '@tenon/sessions/api';
import { foldersIn } from '@tenon/test-kit/kernel';
import { beforeEach, describe, expect, it } from 'vitest';
import source from '../package.json' with { type: 'json' };
import plugin from '../src/plugin.ts';
import { IDS, importWorld, type ImportWorld } from './support/import-world.ts';

let world: ImportWorld;
beforeEach(async () => void (world = await importWorld()));

interface Listed {
  readonly agent: string;
  readonly id: string;
  readonly title: string | null;
  readonly firstPrompt: string | null;
  readonly messages: number | null;
  readonly cwd: string | null;
  readonly session: string | null;
}

const listed = async (flags: Record<string, string | boolean> = {}) =>
  (await world.run(undefined, { json: true, ...flags })).json as Listed[];

/** Writes a file of an agent's, with an object on each line. */
function put(path: string, rows: readonly (object | string)[]): string {
  const file = join(world.folders.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n'));
  return file;
}

const contents = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [file, readFileSync(file, 'utf8'), statSync(file).mtimeMs]);

const claudeFile = () => join(world.folders.home, '.claude', 'projects', '-srv-shop', `${IDS.claude}.jsonl`);

it('keeps the plugin contract', () =>
  pluginContract({
    source,
    plugin,
    services: [
      [sessionStore, {}],
      [folders, foldersIn('/nowhere')],
    ],
  }));

describe('the list', () => {
  it('shows conversations of this folder, the newest first, with what they are about', async () => {
    const old = new Date('2020-01-01');
    utimesSync(claudeFile(), old, old);
    const all = await listed();
    expect(all.map(({ agent, id }) => [agent, id]).toSorted()).toEqual(
      [
        ['claude', IDS.claude],
        ['codex', IDS.codex],
        ['codex', IDS.codexRewound],
        ['gemini', IDS.gemini],
        ['omp', IDS.omp],
        ['pi', IDS.pi],
      ].toSorted(),
    );
    expect(all.at(-1)).toMatchObject({
      agent: 'claude',
      firstPrompt: 'What do notes.txt and missing.txt say?',
      session: null,
    });
    for (const { messages, cwd } of all) {
      expect(messages).toBeGreaterThan(3);
      expect(cwd).toBe(world.folders.cwd);
    }
    const { out } = await world.run();
    expect(out.split('\n')[0]).toMatch(/^\w+ +01a1f5c\S+ +\d{4}-\d\d-\d\d \d\d:\d\d +\d+ {2}\w/);
  });

  it('is limited to an agent and a number, and leaves other folders out without --all', async () => {
    put('.claude/projects/-elsewhere/22222222-2222-4333-8444-555555555555.jsonl', [
      {
        type: 'user',
        uuid: 'a',
        parentUuid: null,
        cwd: '/else/where',
        message: { role: 'user', content: 'Elsewhere' },
      },
    ]);
    expect((await listed({ from: 'claude' })).map(({ id }) => id)).toEqual([IDS.claude]);
    expect(await listed({ from: 'claude', all: true })).toHaveLength(2);
    expect(await listed({ limit: '2' })).toHaveLength(2);
    await expect(world.run(undefined, { limit: 'many' })).rejects.toMatchObject({ code: 'IMPORT_LIMIT' });
  });

  it('looks where the variables of the agents say', async () => {
    const base = join(world.folders.home, 'moved');
    const moved = { CLAUDE_CONFIG_DIR: 'claude', CODEX_HOME: 'codex', PI_CODING_AGENT_DIR: 'pi/agent' };
    for (const [variable, folder] of Object.entries(moved)) {
      cpSync(join(world.folders.home, `.${folder.split('/')[0]}`), join(base, folder.split('/')[0] ?? ''), {
        recursive: true,
      });
      rmSync(join(world.folders.home, `.${folder.split('/')[0]}`), { recursive: true });
      process.env[variable] = join(base, folder);
    }
    expect((await listed()).map(({ agent }) => agent).toSorted()).toEqual([
      'claude',
      'codex',
      'codex',
      'gemini',
      'omp',
      'pi',
    ]);
  });

  it('reads only the beginning of a large conversation', async () => {
    const row = { type: 'user', uuid: 'a', parentUuid: null, cwd: world.folders.cwd };
    put('.claude/projects/-x/13131313-2222-4333-8444-555555555555.jsonl', [
      { ...row, message: { role: 'user', content: 'A long story' } },
      `{"filler":"${'x'.repeat(33 * 1024 * 1024)}"}`,
    ]);
    const [large] = await listed({ from: 'claude' });
    expect(large).toMatchObject({ firstPrompt: 'A long story', messages: null });
  });

  it('is empty without other agents', async () => {
    world = await importWorld({ recorded: false });
    expect(await world.run()).toMatchObject({
      out: '',
      err: expect.stringContaining('No other agent has a conversation'),
    });
    await expect(world.run('1234')).rejects.toMatchObject({ code: 'IMPORT_NOT_FOUND' });
  });

  it('shows titles without control sequences', async () => {
    put('.claude/projects/-x/33333333-2222-4333-8444-555555555555.jsonl', [
      { type: 'ai-title', aiTitle: '\u001b]0;owned\u0007\u001b[2Jred \u202etxet\nsecond line', sessionId: 'x' },
      { type: 'user', uuid: 'a', parentUuid: null, cwd: world.folders.cwd, message: { role: 'user', content: 'Hi' } },
    ]);
    const { out } = await world.run(undefined, { from: 'claude' });
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(out).toContain('red');
    expect(out.trimEnd().split('\n')).toHaveLength(2);
    const { session } = await world.imported('33333333');
    expect(session.header.title).not.toMatch(/[\u0000-\u001f\u202e]/);
  });
});

describe('an import', () => {
  it('says how to go on, reads the original only, and imports nothing twice', async () => {
    const before = contents(world.folders.home);
    const { out } = await world.run('1111', { from: 'claude' });
    const [, id] = /tenon --resume (\w+)/.exec(out) ?? [];
    expect(await world.store.list()).toMatchObject([
      { id, cwd: world.folders.cwd, parentSession: `claude:${IDS.claude}` },
    ]);
    const again = await world.run(IDS.claude);
    expect(again.out).toContain(`imported before, as session ${id}`);
    expect(await world.store.list()).toHaveLength(1);
    expect((await listed({ from: 'claude' }))[0]?.session).toBe(id);
    expect(contents(world.folders.home)).toEqual(before);
  });

  it('says when a model has to be chosen', async () => {
    expect((await world.run(IDS.claude)).out).toContain('model anthropic/claude-sonnet-4-5 is not available here');
  });

  it('makes a session of its own of what has grown', async () => {
    const first = await world.imported(IDS.pi);
    const file = readdirSync(join(world.folders.home, '.pi'), { recursive: true }).find((path) =>
      String(path).endsWith('.jsonl'),
    );
    const more = { type: 'message', id: 'feedbeef', parentId: null, timestamp: '2026-11-20T10:00:00.000Z' };
    appendFileSync(
      join(world.folders.home, '.pi', String(file)),
      `${JSON.stringify({ ...more, message: { role: 'user', content: 'One more thing.' } })}\n`,
    );
    const { out } = await world.run(IDS.pi);
    expect(out).toContain(`session ${first.id}, of just now, stays as it is`);
    expect(await world.store.list()).toHaveLength(2);
    const [newest] = await world.store.list();
    expect((await world.run(IDS.pi)).out).toContain(`as session ${newest?.id}`);
  });

  it('keeps branches, and stands where the original stands', async () => {
    const { session } = await world.imported(IDS.claude);
    const texts = JSON.stringify(session.branch());
    expect(texts).toContain('On a second branch: a heron.');
    expect(texts).not.toContain('Ask a helper.');
    expect(JSON.stringify([...session.entries()])).toContain('Ask a helper.');
    const codex = await world.imported(IDS.codexRewound);
    expect(JSON.stringify(codex.session.branch())).not.toContain('Go astray.');
    expect(JSON.stringify([...codex.session.entries()])).toContain('Go astray.');
  });

  it('stands where the original was written to last, also when that is an older branch', async () => {
    const entry = (id: string, parentId: string | null, message: object) => ({
      type: 'message',
      id,
      parentId,
      message,
    });
    const call = { type: 'toolCall', id: 'slow', name: 'bash', arguments: {} };
    const { session } = await world.imported(
      put('late_0a0b0c0d.jsonl', [
        { type: 'session', version: 3, id: '0a0b0c0d', cwd: '/w' },
        entry('u1', null, { role: 'user', content: 'Begin' }),
        entry('a1', 'u1', { role: 'assistant', content: [call] }),
        entry('u2', null, { role: 'user', content: 'Something else meanwhile' }),
        entry('r1', 'a1', { role: 'toolResult', toolCallId: 'slow', content: [{ type: 'text', text: 'late' }] }),
      ]),
    );
    expect(session.context().messages).toMatchObject([
      { role: 'user', content: [{ text: 'Begin' }] },
      { role: 'assistant' },
      { role: 'toolResult', content: [{ text: 'late' }] },
    ]);
  });

  it('leaves out what helpers said, and the program of the other agent', async () => {
    const { session } = await world.imported(IDS.claude);
    const all = JSON.stringify([...session.entries()]);
    expect(all).not.toContain('look at the notes","uuid');
    expect(all).not.toContain('local-command-caveat');
    const gemini = await world.imported(IDS.gemini);
    expect(JSON.stringify([...gemini.session.entries()])).not.toContain('session_context');
    const codex = await world.imported(IDS.codex);
    expect(JSON.stringify([...codex.session.entries()])).not.toMatch(/environment_context|skills_instructions/);
  });

  it('notes who answered, and with how many tokens', async () => {
    const usage = { input: 1000, output: 10, cacheRead: 100, cacheWrite: 0, totalTokens: 1110 };
    for (const [name, provider, model] of [
      ['claude', 'anthropic', 'claude-sonnet-4-5'],
      ['codex', 'fake', 'gpt-5.1-codex'],
      ['omp', 'fake', 'm'],
      ['pi', 'anthropic', 'claude-sonnet-4-5'],
    ] as const) {
      const { session } = await world.imported(IDS[name]);
      const answers = [...session.entries()].flatMap((entry) =>
        entry.type === 'message' && entry.message.role === 'assistant' ? [entry.message] : [],
      );
      expect(answers[0]).toMatchObject({ provider, model, usage, stopReason: 'toolUse' });
    }
  });

  it('masks secrets as in every session', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const { session } = await world.imported(
      put('.claude/projects/-x/44444444-2222-4333-8444-555555555555.jsonl', [
        { type: 'user', uuid: 'a', parentUuid: null, message: { role: 'user', content: `My token is ${secret}.` } },
      ]),
    );
    expect(readFileSync(session.file ?? '', 'utf8')).not.toContain(secret);
    expect(readFileSync(session.file ?? '', 'utf8')).toContain('My token is');
  });

  it('refuses what is no conversation, and an id that fits several', async () => {
    const file = join(world.folders.home, 'notes.jsonl');
    writeFileSync(file, '{"hello":"world"}\n');
    await expect(world.run(file)).rejects.toMatchObject({ code: 'IMPORT_UNKNOWN_FORMAT' });
    await expect(world.run(file, { from: 'pi' })).rejects.toMatchObject({ code: 'IMPORT_EMPTY' });
    await expect(world.run(join(world.folders.home, 'gone.jsonl'))).rejects.toMatchObject({
      code: 'IMPORT_UNREADABLE',
    });
    await expect(world.run('01a1f5c8')).rejects.toMatchObject({ code: 'IMPORT_AMBIGUOUS' });
    await expect(world.run('')).rejects.toMatchObject({ code: 'IMPORT_NOT_FOUND' });
    expect(await world.store.list()).toEqual([]);
  });
});

describe('forms of other versions', () => {
  it('Claude Code: helpers in the same file, prompts that were typed while the model worked', async () => {
    const { session } = await world.imported(
      put('.claude/projects/-x/12121212-2222-4333-8444-555555555555.jsonl', [
        { type: 'summary', summary: 'About birds', leafUuid: 'a' },
        { type: 'user', uuid: 'a', parentUuid: null, message: { role: 'user', content: 'Ask a helper' } },
        { type: 'user', uuid: 'a', parentUuid: null, message: { role: 'user', content: 'Ask a helper' } },
        {
          type: 'user',
          uuid: 's',
          parentUuid: 'a',
          isSidechain: true,
          message: { role: 'user', content: 'I am a helper' },
        },
        {
          type: 'attachment',
          uuid: 'q',
          parentUuid: 'a',
          attachment: { type: 'queued_command', commandMode: 'prompt', prompt: 'Hurry' },
        },
        {
          type: 'assistant',
          uuid: 'b',
          parentUuid: 'q',
          message: { id: 'm', model: 'claude-x', content: [{ type: 'text', text: 'Done' }] },
        },
      ]),
    );
    expect([...session.entries()].filter(({ type }) => type === 'message')).toMatchObject([
      { message: { content: [{ text: 'Ask a helper' }] } },
      { message: { content: [{ text: 'Hurry' }] } },
      { message: { content: [{ text: 'Done' }] } },
    ]);
    expect(session.header.title).toBe('About birds');
  });

  it('Codex: an older file with turns that were taken back', async () => {
    const item = (role: string, type: string, text: string) => ({
      type: 'response_item',
      payload: { type: 'message', role, content: [{ type, text }] },
    });
    const { session } = await world.imported(
      put('old/rollout-2025-10-01T10-00-00-01a1f5c8-51b1-72e2-8d15-000000000001.jsonl', [
        { type: 'session_meta', payload: { id: 'x', cwd: '/old', cli_version: '0.46.0' } },
        item('user', 'input_text', '<environment_context>\n<cwd>/old</cwd>\n</environment_context>'),
        item('user', 'input_text', 'Keep this.'),
        {
          type: 'response_item',
          payload: { type: 'function_call', name: 'shell', call_id: 'c', arguments: '{"command":["false"]}' },
        },
        {
          type: 'response_item',
          payload: { type: 'function_call_output', call_id: 'c', output: '{"output":"no","metadata":{"exit_code":1}}' },
        },
        item('assistant', 'output_text', 'Kept.'),
        item('user', 'input_text', 'Take this back.'),
        item('assistant', 'output_text', 'Gone.'),
        { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } },
        item('user', 'input_text', 'Go on.'),
        { type: 'compacted', payload: { message: '' } },
      ]),
    );
    expect(session.context().messages).toMatchObject([
      { content: [{ text: 'Keep this.' }] },
      { content: [{ name: 'shell', arguments: { command: ['false'] } }] },
      { content: [{ text: 'no' }], isError: true },
      { content: [{ text: 'Kept.' }] },
      { content: [{ text: 'Go on.' }] },
    ]);
    expect(session.header.cwd).toBe('/old');
  });

  it('Gemini CLI: one object in a file, found by the hash of the folder; messages that were taken back', async () => {
    const projectHash = createHash('sha256').update(world.folders.cwd).digest('hex');
    const message = (id: string, type: string, content: string) => ({
      id,
      type,
      content,
      timestamp: '2025-10-01T10:00:00Z',
    });
    const head = { sessionId: '0ld00000-0000', projectHash, startTime: '2025-10-01T10:00:00Z' };
    put(`.gemini/tmp/${projectHash}/chats/session-2025-10-01.json`, [
      JSON.stringify(
        { ...head, messages: [message('1', 'user', 'An old question'), message('2', 'gemini', 'An old answer')] },
        null,
        2,
      ),
    ]);
    expect(await listed({ from: 'gemini' })).toMatchObject([
      { firstPrompt: 'An old question', messages: 2 },
      { id: IDS.gemini },
    ]);
    const { session } = await world.imported(
      put('session-rewound.jsonl', [
        { ...head, sessionId: 'rewound' },
        message('1', 'user', 'Stays'),
        message('2', 'gemini', 'Stays, too'),
        message('3', 'user', 'Goes'),
        { $rewindTo: '3' },
        message('4', 'user', 'Comes'),
      ]),
    );
    expect(session.context().messages.map((entry) => JSON.stringify(entry))).toEqual([
      expect.stringContaining('Stays'),
      expect.stringContaining('Stays, too'),
      expect.stringContaining('Comes'),
    ]);
  });

  it('pi: the first version, without a tree; oh-my-pi: images in files', async () => {
    const said = (role: string, content: unknown) => ({ type: 'message', message: { role, content } });
    const { session } = await world.imported(
      put('v1_abcdefgh.jsonl', [
        { type: 'session', id: 'abcdefgh', cwd: '/v1' },
        said('user', 'One'),
        said('assistant', [{ type: 'text', text: 'Two' }]),
        { type: 'compaction', summary: 'One and two', firstKeptEntryIndex: 2, tokensBefore: 5 },
        said('user', 'Three'),
      ]),
    );
    expect(session.context().messages).toMatchObject([
      { summary: 'One and two' },
      { role: 'assistant' },
      { role: 'user' },
    ]);
    const hash = createHash('sha256').update('picture').digest('hex');
    put(`.omp/agent/blobs/${hash}`, ['picture']);
    const file = put('.omp/agent/sessions/-x/2026_deadbeef01.jsonl', [
      { type: 'session', version: 3, id: 'deadbeef01', cwd: '/v3' },
      said('user', [
        { type: 'image', data: `blob:sha256:${hash}`, mimeType: 'image/png' },
        { type: 'image', data: `blob:sha256:${'0'.repeat(64)}`, mimeType: 'image/png' },
      ]),
    ]);
    const omp = await world.imported(file);
    const [message] = omp.session.context().messages;
    expect(message).toMatchObject({ content: [{ data: Buffer.from('picture').toString('base64') }, { type: 'text' }] });
    expect(omp.findings).toEqual(['an image is missing']);
  });
});

describe('hostile and damaged files', () => {
  const user = (uuid: string, content: unknown, more: object = {}) => ({
    type: 'user',
    uuid,
    parentUuid: null,
    message: { role: 'user', content },
    ...more,
  });

  it('load as far as they can be read, and say what is missing', async () => {
    const { session, findings } = await world.imported(
      put('.claude/projects/-x/55555555-2222-4333-8444-555555555555.jsonl', [
        user('a', 'First'),
        'no JSON at all',
        '[1,2,3]',
        { type: 'from-the-future', uuid: 'b', parentUuid: 'a', payload: {} },
        user('c', 'Second', { parentUuid: 'b' }),
        user('d', [{ type: 'tool_result', tool_use_id: 'nobody', content: 'lost' }], { parentUuid: 'c' }),
        user('e', 'Third', { parentUuid: 'not-there' }),
        { type: 'assistant', uuid: 'f', parentUuid: 'e', message: 'not an object' },
        '{"type":"user","uuid":"g","parentUuid":"e","message":{"role":"user","content":"cut',
      ]),
    );
    expect(session.context().messages).toMatchObject([
      { content: [{ text: 'First' }] },
      { content: [{ text: 'Second' }] },
      { content: [{ text: 'Third' }] },
    ]);
    expect(findings).toEqual([
      '2 lines could not be read',
      'the last line was cut off',
      'a result of a tool has no call',
      'a line follows one that is missing',
    ]);
  });

  it('are bounded: deep and wrong data, images elsewhere, odd names, circles', async () => {
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    const call = (id: unknown, name: unknown) => ({ type: 'tool_use', id, name, input: { path: 'x' } });
    const { id } = await world.imported(
      put('.claude/projects/-x/66666666-2222-4333-8444-555555555555.jsonl', [
        user(
          'a',
          [
            { type: 'text', text: 'Look' },
            { type: 'image', source: { type: 'url', url: 'http://192.0.2.1/x.png' } },
            { type: 'image', source: { type: 'base64', media_type: 'text/html', data: '<script>' } },
          ],
          { parentUuid: 'z', cwd: '../../../etc' },
        ),
        `{"type":"assistant","uuid":"b","parentUuid":"a","message":{"id":"m","model":"claude-x","content":[{"type":"tool_use","id":"deep","name":"deep","input":${deep}}]}}`,
        {
          type: 'assistant',
          uuid: 'c',
          parentUuid: 'b',
          message: {
            id: 'n',
            model: 'claude-x',
            content: [call('same', 'a.b/c d'), call('same', 'x'.repeat(300)), call('../../etc', ''), call(7, 7)],
          },
        },
        user('z', 'A circle', { parentUuid: 'z' }),
      ]),
    );
    for (const protocol of ['anthropic-messages', 'google-generative-ai'] as const) {
      const { body } = await world.goOn(id, protocol);
      const names = [...JSON.stringify(body['messages'] ?? body['contents']).matchAll(/"name":"([^"]*)"/g)].map(
        ([, name]) => name,
      );
      expect(names.length).toBeGreaterThanOrEqual(5);
      for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    }
    const { body } = await world.goOn(id, 'anthropic-messages');
    const ids = [...JSON.stringify(body['messages']).matchAll(/"type":"tool_use","id":"([^"]*)"/g)].map(
      ([, callId]) => callId,
    );
    expect(new Set(ids).size).toBe(5);
    for (const callId of ids) expect(callId).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect((await world.store.list())[0]?.cwd).toBe(world.folders.cwd);
  });

  it('pipes and links that are found are passed over; they make nobody wait and lead nowhere', async () => {
    const folder = join(world.folders.home, '.claude', 'projects', '-x');
    mkdirSync(folder);
    symlinkSync(claudeFile(), join(folder, '77777777-2222-4333-8444-555555555555.jsonl'));
    execFileSync('mkfifo', [join(folder, '88888888-2222-4333-8444-555555555555.jsonl')]);
    expect((await listed({ from: 'claude' })).map(({ id }) => id)).toEqual([IDS.claude]);
    await expect(world.run(join(folder, '88888888-2222-4333-8444-555555555555.jsonl'))).rejects.toMatchObject({
      code: 'IMPORT_UNREADABLE',
    });
    // A link that the user names is followed.
    expect((await world.imported(join(folder, '77777777-2222-4333-8444-555555555555.jsonl'))).imported).toBe(true);
  });
});
