import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serverConfig } from '../src/mcp-servers.ts';
import { Outbox } from '../src/outbox.ts';
import { takeOutput } from '../src/own-output.ts';
import { readBlocks } from '../src/prompt-content.ts';
import { codeBlock, contentOf, diffOf, locationsOf, titleOf } from '../src/tool-calls.ts';
import { updatesOf } from '../src/updates.ts';

describe('the blocks of a prompt', () => {
  it('become text with links where they stood, images, and files that were sent along', () => {
    const blocks: ContentBlock[] = [
      { type: 'text', text: 'Look at ' },
      { type: 'resource_link', name: 'cart.ts', uri: 'file:///shop/src/cart%20one.ts#L4:9' },
      { type: 'text', text: ' and ' },
      { type: 'resource', resource: { uri: 'file:///shop/a.md', text: 'one\ntwo\n' } },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource_link', name: 'page', uri: 'https://example.com/x' },
    ];
    expect(readBlocks(blocks)).toEqual({
      text: 'Look at `/shop/src/cart one.ts:4-9` and `/shop/a.md` [page](https://example.com/x)',
      images: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }],
      files: [{ path: '/shop/a.md', content: 'one\ntwo\n', lineCount: 2 }],
    });
  });

  it('are one text where an editor has cut it, and do not run into each other where they were several', () => {
    const said = (...texts: string[]) => readBlocks(texts.map((text) => ({ type: 'text', text }))).text;
    expect(said('mail "', '@ada"', ' about', ', please')).toBe('mail "@ada" about, please');
    expect(said('Stop the server', 'Now start it.', 'Is it up?')).toBe('Stop the server\nNow start it.\nIs it up?');
    const link = { type: 'resource_link' as const, name: 'a.ts', uri: 'file:///shop/a.ts' };
    expect(readBlocks([link, { type: 'text', text: 'What is it?' }]).text).toBe('`/shop/a.ts` What is it?');
  });

  it('are refused with a reason when they hold sound, or nothing', () => {
    expect(() => readBlocks([{ type: 'audio', data: '', mimeType: 'audio/wav' }])).toThrow(/type "audio"/);
    expect(() => readBlocks([{ type: 'text', text: '  ' }])).toThrow(/empty/);
  });

  it('never make reading them fail in another way, whatever addresses they name', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        for (const uri of [`https://${name}`, `file://${name}`, `file:///${name}#L1`, name]) {
          const { text } = readBlocks([
            { type: 'text', text: 'x' },
            { type: 'resource_link', name, uri },
          ]);
          expect(text.startsWith('x')).toBe(true);
        }
      }),
    );
  });
});

describe('what a slash command answers', () => {
  const shown = (text: string) =>
    updatesOf({ type: 'notice', level: 'info', text, isAnswer: true }, { cwd: '/w', hasNotices: true });

  it('keeps its lines and columns in an editor, which shows Markdown, unless it is Markdown itself', () => {
    expect(shown('Session:  a\nModel:    b')).toMatchObject([
      { content: { text: '```\nSession:  a\nModel:    b\n```' } },
    ]);
    for (const text of ['Planning was not on.', 'It goes on.\n\n# State\n\nDone.'])
      expect(shown(text)).toMatchObject([{ content: { text } }]);
  });
});

describe('a call of a tool', () => {
  it('has one line that says what it does, without control characters', () => {
    expect(titleOf('bash', { command: 'ls\u001b[2J -l\nrm x' })).not.toMatch(/[\u0000-\u001f]/);
    expect(titleOf('read', { path: 'src/a.ts' })).toBe('read src/a.ts');
    expect(titleOf('odd', undefined)).toBe('odd');
  });

  it('names its file with the line, and no address', () => {
    expect(locationsOf('read', { path: 'a.ts:10-20' }, '/w')).toEqual([{ path: '/w/a.ts', line: 10 }]);
    expect(locationsOf('read', { path: 'https://example.com/a.ts' }, '/w')).toEqual([]);
    expect(locationsOf('bash', { command: 'ls' }, '/w')).toEqual([]);
  });

  it('shows output without what steers a terminal', () => {
    expect(contentOf({ content: [{ type: 'text', text: '\u001b[31mred\u001b[0m\n' }] })).toEqual([
      { type: 'content', content: { type: 'text', text: 'red\n' } },
    ]);
  });

  it('is quoted in a block that no command can leave', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('`', '```', '\n', 'rm -rf /', ' ')), (parts) => {
        const [fence = '', ...lines] = codeBlock(parts.join('')).split('\n');
        expect(fence).toMatch(/^`{3,}$/);
        expect(lines.slice(0, -1).some((line) => line.includes(fence))).toBe(false);
        expect(lines.at(-1)).toBe(fence);
      }),
    );
  });

  it('shows a change as a diff, unless it is no text', () => {
    const bytes = (text: string) => Buffer.from(text);
    expect(diffOf({ path: '/a', before: undefined, after: bytes('x') })).toEqual({
      type: 'diff',
      path: '/a',
      oldText: null,
      newText: 'x',
    });
    expect(diffOf({ path: '/a', before: bytes('x'), after: undefined })).toMatchObject({ oldText: 'x', newText: '' });
    expect(diffOf({ path: '/a', before: Buffer.from([0xff]), after: bytes('x') })).toBeUndefined();
  });
});

it('an MCP server of the editor is used as it is: nothing in it is filled in', () => {
  expect(
    serverConfig({ name: 'db', command: 'db', args: ['${HOME}'], env: [{ name: 'KEY', value: '!cat secret' }] }),
  ).toMatchObject({ type: 'stdio', args: ['${HOME}'], env: { KEY: '!cat secret' }, variableRules: [] });
});

it('standard output belongs to the protocol: what others write there goes to standard error, until it is given back', async () => {
  const written: string[] = [];
  const end = (name: string) => ({
    write(chunk: unknown, done?: unknown) {
      written.push(`${name}: ${String(chunk)}`);
      if (typeof done === 'function') (done as () => void)();
      return true;
    },
  });
  const [stdout, stderr] = [end('out'), end('err')] as unknown as [NodeJS.WriteStream, NodeJS.WriteStream];
  const { stream, giveBack } = takeOutput(stdout, stderr);
  stdout.write('a stray word');
  await new Promise((resolve) => stream.write('{}', resolve));
  giveBack();
  stdout.write('later');
  expect(written).toEqual(['err: a stray word', 'out: {}', 'out: later']);
});

describe('updates on their way to a slow editor', () => {
  const chunk = (text: string): SessionUpdate => ({
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text },
  });
  const call = (status: 'in_progress' | 'completed'): SessionUpdate => ({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c',
    status,
  });
  const updates = fc.array(fc.oneof(fc.string().map(chunk), fc.constantFrom(call('in_progress'), call('completed'))));
  const textIn = (all: readonly SessionUpdate[]) =>
    all
      .map((update) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '|',
      )
      .join('')
      .replaceAll(/\|+/g, '|');

  it('keep their text and their order', async () => {
    await fc.assert(
      fc.asyncProperty(updates, async (given) => {
        const got: SessionUpdate[] = [];
        const outbox = new Outbox(async ({ update }) => {
          await new Promise((resolve) => setImmediate(resolve));
          got.push(update);
        });
        for (const update of given) outbox.put('s', update);
        await outbox.flushed();
        expect(textIn(got)).toBe(textIn(given));
        expect(got.at(-1)?.sessionUpdate).toBe(given.at(-1)?.sessionUpdate);
      }),
    );
  });

  it('end with the connection, and nobody waits for them', async () => {
    const outbox = new Outbox(() => Promise.reject(new Error('closed')));
    outbox.put('s', chunk('x'));
    await outbox.flushed();
    outbox.put('s', chunk('y'));
    await outbox.flushed();
  });
});
