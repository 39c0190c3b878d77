/** The built program and its sandbox: what is refused is asked about, and where there is no sandbox it says so. */
import { mkdirSync, mkdtempSync, rmSync, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { converse } from '@tenon/test-kit/program-conversation';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { workFolder } from '@tenon/test-kit/work-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let shop: Workshop;
let outside: string;
let isConfined: boolean;
const COMMAND = 'python3 make.py && echo made it';
beforeEach(async () => {
  shop = await openWorkshop();
  // Not in /tmp, which every sandbox replaces.
  mkdirSync(workFolder(), { recursive: true });
  outside = mkdtempSync(join(workFolder(), 'confined-'));
  shop.home.put('work/make.py', `open("${outside}/made", "w")\n`);
  const { profile } = JSON.parse((await shop.tenon(['sandbox', 'status', '--json'])).out) as { profile: string };
  isConfined = profile === 'workspace-write';
});
afterEach(async () => {
  rmSync(outside, { recursive: true, force: true });
  await shop.close();
});
const says = (command: string) => [{ say: 'run', calls: [{ tool: 'bash', input: { command }, says: /./ }] }];

describe('a command that the sandbox refuses something', () => {
  it('waits in print mode for `tenon approval allow`, and the model and the person are told', async (context) => {
    if (!isConfined) return context.skip();
    const first = await converse(shop, says(COMMAND), { last: 'done', prompt: 'go' });
    expect(first.results[0]?.text).toMatch(
      /Not run outside of the sandbox: its output names writing .*made, which the sandbox refuses/,
    );
    expect(first.err).toContain('waits for your answer');
    expect(first.code).toBe(0);
    const id = /tenon approval allow ([0-9a-f]{8})/.exec(first.err)?.[1] ?? '';
    const { out } = shop.home.tenon(['approval', 'show', id]);
    expect(out).toContain(`What it would do:\n  ${COMMAND}\n`);
    expect(out).toContain('It has run once and failed: its output names writing');
    expect(shop.home.tenon(['approval', 'allow', id]).code).toBe(0);
    const second = await converse(shop, says(COMMAND), { last: 'done', prompt: 'go' });
    expect(second.results[0]?.text).toBe('made it\n\n[This ran outside of the sandbox, as the user allowed.]');
    expect(existsSync(join(outside, 'made'))).toBe(true);
  });

  it('asks the program on the other side of RPC, with the whole command, once', async (context) => {
    if (!isConfined) return context.skip();
    const long = `${COMMAND} # ${'x'.repeat(500)} end`;
    shop.model.reply(
      { content: [{ type: 'toolCall', id: 'a', name: 'bash', arguments: { command: long } }] },
      { content: [{ type: 'text', text: 'done' }] },
    );
    const child = shop.home.start(['--mode', 'rpc', '--no-session', '--model', 'fake/m'], {
      env: shop.home.environment({ TENON_SET: 'providers.probeLocal=false' }),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const send = (frame: object) => child.stdin?.write(`${JSON.stringify(frame)}\n`);
    const titles: string[] = [];
    const results: string[] = [];
    if (!child.stdout) throw new Error('no output');
    for await (const line of createInterface({ input: child.stdout })) {
      const frame = JSON.parse(line) as Record<string, unknown>;
      if (frame['type'] === 'ready') send({ id: 'p', type: 'prompt', message: 'go' });
      if (frame['method'] === 'select') {
        titles.push(String(frame['title']));
        send({ type: 'extension_ui_response', id: frame['id'], value: 'Run it once outside of the sandbox' });
      }
      if (frame['type'] === 'tool_execution_end') results.push(JSON.stringify(frame['result']));
      if (frame['type'] === 'agent_end') child.stdin?.end();
    }
    expect(titles).toHaveLength(1);
    expect(titles[0]).toContain(`bash: ${long}\n`);
    expect(results[0]).toContain('This ran outside of the sandbox');
    expect(existsSync(join(outside, 'made'))).toBe(true);
  });
});

describe('where no sandbox works', () => {
  const broken = () => {
    shop.home.put('broken/bwrap', '#!/bin/sh\nexit 1\n');
    // A file that the shell cannot run is no bubblewrap either.
    return { PATH: `${join(shop.home.folder, 'broken')}:${process.env['PATH'] ?? ''}` };
  };

  it('print mode says so once, the doctor warns, and `sandbox.required` keeps everything from running', async (context) => {
    if (!isConfined) return context.skip();
    const env = broken();
    shop.home.bash(`chmod +x ${join(shop.home.folder, 'broken/bwrap')}`);
    shop.home.put('home/config/settings.yml', JSON.stringify({ approval: { mode: 'yolo' } }));
    const open = await converse(shop, says('echo hello'), { last: 'done', prompt: 'go', env });
    expect(open.err.match(/Programs of the agent run without a sandbox/g)).toHaveLength(1);
    expect(open.err).toContain('apt install bubblewrap');
    expect(open.results[0]?.text).toBe('hello');
    const doctor = shop.home.tenon(['doctor', '--json'], { env });
    expect(doctor.out).toContain('programs run without a sandbox');
    expect(shop.home.tenon(['sandbox', 'status'], { env }).out).toContain('Warning: Programs of the agent run without');

    const settings = { approval: { mode: 'yolo' }, sandbox: { required: true, mechanism: 'bubblewrap' } };
    shop.home.put('home/config/settings.yml', JSON.stringify(settings));
    const steps = [
      ...says('echo hello > made'),
      {
        say: 'and',
        calls: [{ tool: 'bash', input: { command: 'echo x > made', unsandboxed: true, reason: 'y' }, says: /./ }],
      },
      { say: 'and', calls: [{ tool: 'eval', input: { input: 'open("made", "w")' }, says: /./ }] },
    ];
    const closed = await converse(shop, steps, { last: 'done', prompt: 'go', env, flags: ['--tools', 'bash,eval'] });
    for (const { text, isError } of closed.results) {
      expect(isError).toBe(true);
      expect(text).toMatch(/apt install bubblewrap|sandbox\.required|needs approval/);
    }
    expect(closed.results).toHaveLength(3);
    expect(existsSync(join(shop.home.work, 'made'))).toBe(false);
    const status = shop.home.tenon(['sandbox', 'status'], { env });
    expect(status).toMatchObject({ code: 1, out: expect.stringContaining('No program runs: ') });
    // A project cannot switch it off.
    shop.home.put('work/.tenon/settings.yml', 'sandbox: { required: false }\n');
    expect(shop.home.tenon(['sandbox', 'status'], { env }).out).toContain('No program runs: ');
  });
});
