import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ExternalHook, externalHooks, looksFor, registerFamily, sourceFiles } from '@tenon/discovery/api';
import { definePlugin } from '@tenon/kernel';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommand } from '@tenon/test-kit/command-run';
import { MAX_OUTPUT_BYTES } from '../src/command-run.ts';
import { addressProblem, post, shownAddress } from '../src/http-hook.ts';
import { calling, hookWorld, type HookWorldOptions, removeWorlds } from './support/hook-world.ts';

const servers: Server[] = [];
afterEach(async () => {
  await removeWorlds();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

interface Answer {
  readonly status?: number;
  readonly text?: string;
  readonly headers?: Record<string, string>;
  /** Never answers. */
  readonly silent?: boolean;
}

/** A server on this machine that keeps what it is asked. */
async function serve(answer: Answer): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      const body = JSON.parse(text) as Record<string, unknown>;
      asked.push({ path: request.url ?? '', headers: request.headers, body });
      if (answer.silent !== true) response.writeHead(answer.status ?? 200, answer.headers).end(answer.text ?? '');
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** A world whose project has one hook that is an address. */
function webWorld(hook: Record<string, unknown>, options: HookWorldOptions = {}) {
  const family = definePlugin({
    id: 'web-hooks',
    needs: { files: sourceFiles },
    activate(ctx) {
      const look = looksFor(externalHooks, async (search) => {
        for (const place of search.places({ project: 'web-hooks.json' })) {
          const value = await search.record(place, 'json');
          if (value) search.add({ key: place.path, value: value as unknown as ExternalHook, place });
        }
      });
      registerFamily(ctx, { id: 'web-hooks', priority: 50, looks: [look] }, ctx.needs.files);
    },
  });
  const manifest = {
    name: 'web-hooks',
    version: '1.0.0',
    tenon: { id: 'web-hooks', kernel: '^1', needs: ['source-files'], sources: ['external-hooks'] },
  };
  return hookWorld({
    script: calling('bash', { command: 'make release' }),
    ...options,
    plugins: [[manifest, family]],
    files: (files) =>
      void files.write('project/web-hooks.json', {
        dialect: 'claude',
        event: 'PreToolUse',
        matcher: 'Bash',
        type: 'http',
        path: '',
        ...hook,
      }),
  });
}

const denial = JSON.stringify({
  hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'not on a Friday' },
});

describe('A hook that is an address', () => {
  it('gets what a command would get, and its JSON decides', async () => {
    const { url, asked } = await serve({ text: denial });
    const world = await webWorld({ url: `${url}/check` });
    await world.agent.prompt('release it');
    expect(world.executed).toEqual([]);
    expect(world.lastRequest()).toContain('not on a Friday');
    expect(asked).toMatchObject([
      {
        path: '/check',
        headers: { 'content-type': 'application/json' },
        body: { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'make release' } },
      },
    ]);
  });

  it('of a project is not asked where the folder is not trusted', async () => {
    const { url, asked } = await serve({ text: denial });
    const world = await webWorld({ url }, { trusted: false });
    await world.agent.prompt('release it');
    expect(asked).toEqual([]);
    expect(world.executed).toHaveLength(1);
    expect(world.notices()).toContainEqual(expect.stringContaining('is not trusted, so a hook of it will not run'));
  });

  it('adds text that is no JSON to what the model reads', async () => {
    const { url } = await serve({ text: 'Releases are made by hand.' });
    const world = await webWorld({ url, event: 'PostToolUse' });
    await world.agent.prompt('release it');
    expect(world.lastRequest()).toContain('Releases are made by hand.');
  });

  it.each([
    ['a status that is no success', { status: 403, text: 'no entry' }, 'answered with status 403: no entry'],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'answered with status 302'],
    ['half a JSON object', { text: '{"decision": ' }, 'begins like JSON but is none'],
    ['too much', { text: `{"a": "${'x'.repeat(MAX_OUTPUT_BYTES)}"}` }, 'its answer is not whole'],
  ])('that answers with %s blocks nothing, and the user is told', async (_, answer: Answer, says) => {
    const { url } = await serve(answer);
    const world = await webWorld({ url: `${url}/check?key=secret` });
    await world.agent.prompt('release it');
    expect(world.executed).toHaveLength(1);
    const warnings = world.notices().filter((text) => text.includes(says));
    expect(warnings).toEqual([expect.stringContaining(`PreToolUse hook \`POST ${url}/check\` `)]);
    expect(warnings[0]).not.toContain('secret');
  });

  it('that cannot be reached blocks nothing, unless it is marked to', async () => {
    const { url } = await serve({});
    await new Promise((resolve) => servers.pop()?.close(resolve));
    const world = await webWorld({ url });
    await world.agent.prompt('release it');
    expect(world.executed).toHaveLength(1);
    expect(world.notices()).toContainEqual(expect.stringMatching(/could not be reached: .*ECONNREFUSED/));
    const closed = await webWorld({ url, failClosed: true });
    await closed.agent.prompt('release it');
    expect(closed.executed).toEqual([]);
  });

  it('is listed and tried like other hooks, and never runs where its address cannot be used', async () => {
    const { url } = await serve({ text: denial });
    const world = await webWorld({ url: `${url}/check` });
    const cwd = world.files.project;
    const { out } = await runCommand(world.kernel, 'hooks list', { cwd });
    expect(out).toContain(`PreToolUse [Bash]             POST ${url}/check`);
    const tested = await runCommand(world.kernel, 'hooks test', { cwd, args: { event: 'PreToolUse' } });
    expect(tested.code).toBe(1);
    expect(tested.out).toMatch(/answered with 200 after \d+ ms\n {2}answer: \{.*Together: deny/s);
    const elsewhere = await webWorld({ url: 'http://hooks.example.invalid/' });
    const listed = await runCommand(elsewhere.kernel, 'hooks list', { cwd: elsewhere.files.project });
    expect(listed.out).toContain('never runs: another machine must be reached with https');
  });
});

describe('A request of a hook', () => {
  const limits = { timeoutMs: 5_000, signal: new AbortController().signal };

  it('fills in only the variables that it may name', async () => {
    const { url, asked } = await serve({});
    process.env['TENON_TEST_KEY'] = 'the key';
    process.env['TENON_TEST_OTHER'] = 'another';
    try {
      const headers = { Authorization: 'Bearer $TENON_TEST_KEY', 'X-Two': '${TENON_TEST_KEY}-${TENON_TEST_OTHER}!' };
      await post({ url, headers, allowedEnvVars: ['TENON_TEST_KEY'] }, '{}', limits);
    } finally {
      delete process.env['TENON_TEST_KEY'];
      delete process.env['TENON_TEST_OTHER'];
    }
    expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer the key', 'x-two': 'the key-!' });
  });

  it('ends when its time is over, and when it is called off', async () => {
    const { url, asked } = await serve({ silent: true });
    expect(await post({ url }, '{}', { ...limits, timeoutMs: 50 })).toMatchObject({ outcome: 'timed-out' });
    const controller = new AbortController();
    const waiting = post({ url }, '{}', { ...limits, signal: controller.signal });
    while (asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    expect(await waiting).toMatchObject({ outcome: 'cancelled' });
  });

  it('takes no header that would be two', async () => {
    const { url, asked } = await serve({});
    const end = await post({ url, headers: { 'X-A': 'a\r\nX-B: b' } }, '{}', limits);
    expect(end.outcome).toBe('not-reached');
    expect(asked).toEqual([]);
  });

  it.each([
    ['https://hooks.example.invalid/x', undefined],
    ['http://localhost:8080/x', undefined],
    ['http://127.1.2.3/x', undefined],
    ['http://[::1]:80/x', undefined],
    ['http://localhost.example.invalid/', /https/],
    ['http://127.0.0.1.example.invalid/', /https/],
    ['http://10.0.0.1/', /https/],
    ['file:///etc/passwd', /http or https/],
    ['https://me:secret@example.invalid/', /password/],
    ['nonsense', /not an address/],
    ['', /not an address/],
  ])('to %j: %s', (url, problem) => {
    if (problem) expect(addressProblem(url)).toMatch(problem);
    else expect(addressProblem(url)).toBeUndefined();
    expect(shownAddress(url)).not.toContain('secret');
  });
});
