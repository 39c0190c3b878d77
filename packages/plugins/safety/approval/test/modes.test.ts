import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { HERMETIC, MAIN } from '@tenon/test-kit/program';
import { afterAll, describe, expect, it } from 'vitest';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'tenon-approval-modes-')));
const cwd = join(base, 'work');
mkdirSync(join(cwd, '.git'), { recursive: true });
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: base,
  TENON_HOME: join(base, 'home'),
  LANG: 'C.UTF-8',
  // In a sandbox, code that nobody understands runs without a question.
  TENON_SET: 'sandbox.profile=full',
  ...HERMETIC,
};
afterAll(() => rmSync(base, { recursive: true, force: true }));

const tenon = (...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], {
    cwd,
    env,
    encoding: 'utf8',
    input: '',
  });
  return { code: status, out: stdout, err: stderr };
};
const idIn = (text: string) => /tenon approval allow ([0-9a-f]+)/.exec(text)?.[1] ?? '';

describe('in print mode', () => {
  it('a call that needs an answer is refused, and goes through after the command that the refusal names', () => {
    const prompt = ['-p', '--no-session', 'run the command `node -p 40+2`'];
    const refused = tenon(...prompt);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('needs approval (tier 2');
    const id = idIn(refused.err);
    expect(tenon('approval', 'allow', id)).toMatchObject({ code: 0, out: expect.stringContaining('node -p 40+2') });
    expect(tenon(...prompt)).toMatchObject({ code: 0, out: expect.stringContaining('42') });
    expect(tenon(...prompt).code).toBe(1);
  });

  it('a tool that is run by hand is held to the same', () => {
    const run = ['tool', 'run', 'bash', '--input', JSON.stringify({ command: 'node -p 41+2' })];
    const refused = tenon(...run);
    expect(refused.code).toBe(1);
    tenon('approval', 'allow', idIn(refused.err));
    expect(tenon(...run)).toMatchObject({ code: 0, out: expect.stringContaining('43') });
  });
});

describe('in RPC mode', () => {
  it('the other program is asked, and its choice counts', async () => {
    const child = spawn(process.execPath, [MAIN, '--mode', 'rpc', '--no-session'], {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const results: string[] = [];
    const titles: string[] = [];
    const choices = ['Allow once', 'Deny'];
    const send = (frame: Record<string, unknown>) => child.stdin.write(`${JSON.stringify(frame)}\n`);
    const ask = () => send({ id: 'p', type: 'prompt', message: 'run the command `node -p 42+2`' });
    for await (const line of createInterface({ input: child.stdout })) {
      const frame = JSON.parse(line) as Record<string, unknown>;
      if (frame['type'] === 'ready') ask();
      if (frame['type'] === 'extension_ui_request' && frame['method'] === 'select') {
        titles.push(String(frame['title']));
        expect(frame['options']).toHaveLength(4);
        send({ type: 'extension_ui_response', id: frame['id'], value: choices[results.length] });
      }
      if (frame['type'] === 'tool_execution_end') results.push(JSON.stringify(frame['result']));
      if (frame['type'] === 'agent_end') {
        if (results.length === 1) ask();
        else child.stdin.end();
      }
    }
    expect(titles[0]).toContain('bash: node -p 42+2');
    expect(results).toEqual([expect.stringContaining('44'), expect.stringContaining('the user said no')]);
  });
});
