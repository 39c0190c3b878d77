/** Tools of an MCP server and of an extension by name, in the built program. */
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { patientLimit } from '@tenon/test-kit/waiting';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { converse } from '@tenon/test-kit/program-conversation';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { EVERYTHING, plain } from './servers/programs.ts';

/** Servers and extensions take their time on a busy machine. */
const PATIENCE_MS = patientLimit(60_000);
const WEATHER = `
  import { Type } from '@sinclair/typebox';
  export default (pi) => {
    pi.registerTool({
      name: 'weather', label: 'Weather', description: 'Says how the weather is.',
      parameters: Type.Object({ city: Type.String() }),
      execute: async (_id, { city }) => ({ content: [{ type: 'text', text: 'It rains in ' + city }], details: {} }),
    });
    pi.on('tool_call', (event) => { if (event.input.message === 'hello') event.input.message = 'good evening'; });
  };`;

let workshop: Workshop;
let mark: string;
beforeAll(async () => {
  workshop = await openWorkshop();
  const { home } = workshop;
  mark = `${home.folder}/started`;
  const servers = {
    every: { command: process.execPath, args: [EVERYTHING] },
    other: plain(`--mark=${mark}`),
    broken: plain('--exit=3', '--stderr=Error: no license'),
  };
  home.put('home/config/mcp.json', JSON.stringify({ mcpServers: servers }));
  home.put('.omp/agent/extensions/weather.ts', WEATHER);
  home.put('work/.tenon/mcp.json', JSON.stringify({ mcpServers: { theirs: plain(`--mark=${mark}`) } }));
}, PATIENCE_MS);
afterAll(() => workshop.close());

const started = () => (existsSync(mark) ? readFileSync(mark, 'utf8').trim().split('\n').length : 0);
/** The names of the tools in a request to the model. */
const toolsIn = (body: Readonly<Record<string, unknown>> | undefined) =>
  ((body?.['tools'] ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);

describe('the tools of a server and of an extension', { timeout: PATIENCE_MS }, () => {
  it('are offered and used when --tools names them, and an extension changes the input of a call', async () => {
    const before = workshop.model.requests.length;
    const { results, code, err } = await converse(
      workshop,
      [
        {
          say: 'Both.',
          calls: [
            { tool: 'mcp__every__echo', input: { message: 'hello' }, says: /good evening/ },
            { tool: 'weather', input: { city: 'Bonn' }, says: /It rains in Bonn/ },
          ],
        },
      ],
      {
        prompt: 'Go.',
        last: 'Done.',
        flags: ['--no-session', '--set', 'approval.mode=yolo', '--tools', 'mcp__every__echo,weather,read'],
      },
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(results.map(({ text }) => text)).toEqual(['Echo: good evening', 'It rains in Bonn']);
    expect(toolsIn(workshop.model.requests[before]?.body)).toEqual(['mcp__every__echo', 'weather', 'read']);
  });

  it('are run by hand, and held to approval like any other', async () => {
    const echo = ['tool', 'run', 'mcp__every__echo', '--input', '{"message": "hi"}'];
    expect(await workshop.tenon([...echo, '--set', 'approval.mode=yolo'])).toMatchObject({
      code: 0,
      out: 'Echo: hi\n',
    });
    expect(await workshop.tenon([...echo, '--set', 'approval.mode=always-ask'])).toMatchObject({ code: 1, out: '' });
    const weather = ['tool', 'run', 'weather', '--input', '{"city": "Ulm"}'];
    expect(await workshop.tenon(weather)).toMatchObject({ code: 0, out: 'It rains in Ulm\n' });
  });

  it('are listed, and what is missing is told beside the list', async () => {
    const { code, out, err } = await workshop.tenon(['tools', 'list', '--json']);
    const tools = JSON.parse(out) as { name: string; origin?: { kind: string; name: string; file: string } }[];
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    expect(code).toBe(0);
    expect(byName.get('mcp__every__echo')?.origin).toMatchObject({ kind: 'mcp-server', name: 'every' });
    expect(byName.get('mcp__other__greet')?.origin).toMatchObject({ kind: 'mcp-server', name: 'other' });
    expect(byName.get('weather')?.origin).toMatchObject({ kind: 'extension', name: 'weather' });
    expect(byName.get('read')).not.toHaveProperty('origin');
    expect([...byName.keys()].filter((name) => name.startsWith('mcp__theirs__'))).toEqual([]);
    expect(err).toMatch(/"MCP_CONNECT_FAILED".*"server":"broken"/);
    expect(err).toMatch(/"MCP_SERVER_UNTRUSTED".*"server":"theirs"/);
    const once = started();
    await workshop.tenon(['tools', 'list']);
    expect([once, started()]).toEqual([1, 1]);
  });

  it('that nobody has are refused, with the nearest name and the server that did not start', async () => {
    const wrong = (tools: string) => workshop.tenon(['-p', '--no-session', '--tools', tools, 'Go.']);
    expect(await wrong('weathr')).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean "weather"?') });
    expect(await wrong('read,mcp__every__ecko')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean "mcp__every__echo"?'),
    });
    expect(await wrong('mcp__broken__*')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/There is no tool "mcp__broken__\*".*"broken" cannot be reached.*no license/s),
    });
    expect(await workshop.tenon(['tool', 'run', 'mcp__theirs__greet'])).toMatchObject({
      code: 2,
      err: expect.stringContaining(`tenon trust add ${workshop.home.work}`),
    });
  });

  it('are among the tools that a program sees over RPC, before its first prompt', async () => {
    const words = ['--mode', 'rpc', '--no-session', '--model', 'fake/m', '--tools', 'mcp__every__e*,weather'];
    const child = workshop.home.start(words, { stdio: ['pipe', 'pipe', 'inherit'] });
    if (!child.stdin || !child.stdout) throw new Error('the program has no pipes');
    child.stdin.write(`${JSON.stringify({ id: '1', type: 'get_state' })}\n`);
    let state: { dumpTools: { name: string }[] } | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      const frame = JSON.parse(line) as { type: string; id?: string; data?: typeof state };
      if (frame.type !== 'response' || frame.id !== '1') continue;
      state = frame.data;
      child.stdin.end();
    }
    expect(state?.dumpTools.map(({ name }) => name)).toEqual(['mcp__every__echo', 'weather']);
  });
});
