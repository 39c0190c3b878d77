import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { urlRouter } from '@tenon/urls/api';
import { discovery, commands } from '@tenon/discovery/api';
import { describe, expect, it, vi } from 'vitest';
import { EVERYTHING, FILESYSTEM, textOf } from './servers/programs.ts';
import { later } from '@tenon/test-kit/temporary';
import { world } from '@tenon/test-kit/mcp-world';

const user = { every: { command: process.execPath, args: [EVERYTHING, 'stdio'] } };
const signal = () => new AbortController().signal;

describe('the server "everything"', () => {
  it('is driven for real: text, images, structured content, links, resources, progress', async () => {
    const w = await world({ user });
    await w.settle();
    expect(textOf(await w.call('mcp__every__echo', { message: 'hi' }))).toBe('Echo: hi');
    const image = await w.call('mcp__every__get-tiny-image');
    expect(image.content.some((part) => part.type === 'image' && part.mimeType.startsWith('image/'))).toBe(true);
    const structured = await w.call('mcp__every__get-structured-content', { location: 'New York' });
    expect(structured.details).toMatchObject({ structuredContent: { temperature: expect.any(Number) } });
    expect(textOf(await w.call('mcp__every__get-resource-links', { count: 2 }))).toMatch(
      /\[Resource mcp:\/\/every\/demo:\/\//,
    );
    const embedded = await w.call('mcp__every__get-resource-reference', { resourceType: 'Text', resourceId: 1 });
    expect(textOf(embedded)).toMatch(/\[mcp:\/\/every\/demo:\/\/resource\/dynamic\/text\/1\]\nResource 1/);
    const updates: string[] = [];
    const long = await w.call(
      'mcp__every__trigger-long-running-operation',
      { duration: 0.4, steps: 4 },
      { onUpdate: (partial) => void updates.push(textOf(partial)) },
    );
    expect(textOf(long)).toContain('Long running operation completed');
    // The last one may come together with the result.
    expect(updates.slice(0, 3)).toEqual(['1 of 4', '2 of 4', '3 of 4']);
  });

  it('stops a call when the user does', async () => {
    const w = await world({ user });
    await w.settle();
    const stop = new AbortController();
    const input = { duration: 60, steps: 60 };
    const running = w.call('mcp__every__trigger-long-running-operation', input, {
      signal: stop.signal,
      onUpdate: () => stop.abort(new Error('enough')),
    });
    await expect(running).rejects.toThrow('enough');
    expect(textOf(await w.call('mcp__every__echo', { message: 'still there' }))).toBe('Echo: still there');
  });

  it('gets few variables, the folder as its root, and errors come back as results', async () => {
    vi.stubEnv('SECRET_TOKEN', 'hidden');
    vi.stubEnv('WANTED', 'yes');
    later(() => void vi.unstubAllEnvs());
    const w = await world({ user, settings: { 'mcp.inheritEnv': ['WANTED'] } });
    await w.settle();
    const env = JSON.parse(textOf(await w.call('mcp__every__get-env'))) as Record<string, string>;
    expect(env).toMatchObject({ WANTED: 'yes', PATH: process.env['PATH'] });
    expect(env).not.toHaveProperty('SECRET_TOKEN');
    expect(textOf(await w.call('mcp__every__get-roots-list'))).toContain(`file://${w.cwd}`);
    const bad = await w.call('mcp__every__get-structured-content', { location: 'Atlantis' });
    expect(bad.isError).toBe(true);
  });

  it('may ask a model, when the user allows it', async () => {
    const w = await world({ user, script: [{ text: 'Paris, of course.' }] });
    const asked: string[] = [];
    let answer = false;
    await w.answerWith({ confirm: async (title, message) => (asked.push(`${title}\n${message}`), answer) });
    await w.settle();
    const refused = await w.call('mcp__every__trigger-sampling-request', {
      prompt: 'Capital of France?',
      maxTokens: 50,
    });
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('rejected')]);
    expect(w.requests).toEqual([]);
    answer = true;
    const given = await w.call('mcp__every__trigger-sampling-request', { prompt: 'Capital of France?', maxTokens: 50 });
    expect(textOf(given)).toContain('Paris, of course.');
    expect(asked[0]).toMatch(/"every" asks your model[\s\S]*Capital of France\?/);
    expect(w.requests[0]?.maxTokens).toBe(50);
  });

  it('may not ask a model where nobody can answer', async () => {
    const w = await world({ user });
    await w.settle();
    const refused = await w.call('mcp__every__trigger-sampling-request', { prompt: 'x', maxTokens: 5 });
    expect([refused.isError, w.requests.length]).toEqual([true, 0]);
  });

  it('may ask the user, field by field, with defaults for what is not answered', async () => {
    const w = await world({ user });
    const asked: string[] = [];
    await w.answerWith({
      input: async (title) => (asked.push(title), title.includes('name') || title.includes('Name') ? 'Ada' : undefined),
      select: async (title, options) => (asked.push(title), options[0]),
    });
    await w.settle();
    const result = textOf(await w.call('mcp__every__trigger-elicitation-request'));
    expect(asked.length).toBeGreaterThan(3);
    expect(asked[0]).toContain('The MCP server "every" asks');
    expect(result).toContain('User provided the requested information');
    expect(result).toContain('Ada');
  });

  it('is declined at once where nobody is there', async () => {
    const w = await world({ user });
    await w.settle();
    expect(textOf(await w.call('mcp__every__trigger-elicitation-request'))).toMatch(/declined/i);
  });

  it('has resources behind mcp://', async () => {
    const w = await world({ user });
    await w.settle();
    const router = await w.kernel.find(urlRouter);
    const read = (url: string) => router.read(url, { signal: signal(), scope: { session: 's', cwd: w.cwd } });
    expect((await read('mcp://')).content).toBe('mcp://every  ready');
    expect((await read('mcp://every')).content).toContain('mcp://every/demo://resource/static/document/features.md');
    expect((await read('mcp://every/demo://resource/static/document/features.md')).content).toContain('#');
    expect((await read('mcp://every/demo://resource/dynamic/text/7')).content).toContain('Resource 7');
    const blob = await read('mcp://every/demo://resource/dynamic/blob/2');
    expect(blob.bytes && Buffer.from(blob.bytes).toString()).toContain('Resource 2');
    await expect(read('mcp://every/demo://nothing')).rejects.toMatchObject({ code: 'MCP_RESOURCE_UNREADABLE' });
    await expect(read('mcp://evrey/x')).rejects.toMatchObject({
      code: 'MCP_SERVER_UNKNOWN',
      message: expect.stringContaining('every'),
    });
  });

  it('shows with /mcp how the servers are, and makes a connection anew', async () => {
    const w = await world({ user, settings: { 'mcp.startupBudgetMs': 20_000 } });
    const answer = async (text: string) => {
      const said = (await w.prompt(text)).events.find((event) => event.type === 'notice' && event.isAnswer === true);
      return said?.type === 'notice' ? said.text : '';
    };
    await w.prompt('hello');
    expect(await answer('/mcp')).toMatch(/^every: ready \(\d+ tools/);
    expect(await answer('/mcp reconnect every')).toMatch(/^every: ready/);
    await expect(w.prompt('/mcp reconnect nobody')).rejects.toThrow(/nobody/);
    await expect(w.prompt('/mcp what')).rejects.toMatchObject({
      next: 'Use /mcp to list the servers, or /mcp reconnect NAME.',
    });
    expect(w.requests).toHaveLength(1);
  });

  it('has prompts that are commands', async () => {
    const w = await world({ user, settings: { 'mcp.startupBudgetMs': 20_000 } });
    await w.prompt('/mcp:every:args-prompt "New York" state=NY');
    expect(JSON.stringify(w.requests[0]?.messages)).toContain("What's weather in New York, NY?");
    await expect(w.prompt('/mcp:every:args-prompt')).rejects.toMatchObject({
      message: expect.stringContaining('needs city'),
    });
    await expect(w.prompt('/mcp:every:arg-prompt x')).rejects.toMatchObject({
      message: expect.stringContaining('args-prompt'),
    });
    const found = await (await w.kernel.find(discovery)).load(commands, w.cwd);
    const listed = w.kernel
      .read(commands)
      .list()
      .map(({ key }) => key);
    expect(listed).toContain('mcp:every:args-prompt');
    expect(found.problems).toEqual([]);
  });
});

describe('the server "filesystem"', () => {
  it('is driven for real in a session', async () => {
    const place: { path?: string } = {};
    const w = await world({
      script: [
        { calls: [{ name: 'search_tool_bm25', arguments: { query: 'write_file', limit: 12 } }] },
        () => ({ calls: [{ name: 'mcp__files__write_file', arguments: { path: place.path, content: 'written' } }] }),
        { text: 'done' },
      ],
      settings: { 'mcp.startupBudgetMs': 20_000, 'approval.mode': 'yolo' },
      project: { files: { command: process.execPath, args: [FILESYSTEM, '.'] } },
      trusted: true,
    });
    place.path = join(w.cwd, 'new.txt');
    writeFileSync(join(w.cwd, 'here.txt'), 'content');
    await w.settle();
    expect(textOf(await w.call('mcp__files__read_text_file', { path: join(w.cwd, 'here.txt') }))).toBe('content');
    const denied = await w.call('mcp__files__read_text_file', { path: '/etc/passwd' });
    expect([denied.isError, textOf(denied)]).toEqual([true, expect.stringContaining('outside allowed directories')]);
    await w.prompt('write a file');
    expect(readFileSync(place.path, 'utf8')).toBe('written');
  });
});
