import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAccelerator } from '@tenon/native';
import { patientLimit } from '@tenon/test-kit/waiting';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { converse, type Outcome } from '@tenon/test-kit/program-conversation';
import { EDITS, everyTool } from './tools-e2e/task.ts';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';

interface WireTool {
  readonly function: { readonly name: string; readonly description: string; readonly parameters: unknown };
}

/** A run with many calls takes its time on a busy machine. */
const PATIENCE_MS = patientLimit(120_000);
/** What the first request may take, and what all tools of a session may take. */
const BUDGET = 5_000;

let workshop: Workshop;
let steps: ReturnType<typeof everyTool>;
let outcome: Outcome;
beforeAll(async () => {
  workshop = await openWorkshop();
  workshop.home.put('work/debug-me.cjs', 'const a = 20;\nconst b = a + 22;\nconsole.log(b);\n');
  workshop.git('add', '.');
  workshop.git('-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--message=Debug');
  steps = everyTool(workshop.web);
  outcome = await converse(workshop, steps, { prompt: 'Round the total.', last: 'The total is rounded.' });
}, PATIENCE_MS);
afterAll(() => workshop.close());

const file = (name: string) => readFileSync(join(workshop.home.work, name), 'utf8');

describe('a task that needs every tool', () => {
  it('gets from each the result that its script expects', () => {
    expect({ code: outcome.code, err: outcome.err }).toEqual({ code: 0, err: '' });
    const calls = steps.flatMap(({ calls: made }) => made);
    expect(outcome.results.map(({ tool }) => tool)).toEqual(calls.map(({ tool }) => tool));
    for (const [index, { tool, says, fails = false }] of calls.entries()) {
      const { text, isError } = outcome.results[index] ?? {};
      expect({ tool, isError, text }).toEqual({ tool, isError: fails, text: expect.stringMatching(says) });
    }
  });

  it('leaves out no tool that is built in', async () => {
    const listed = JSON.parse((await workshop.tenon(['tools', 'list', '--json'])).out) as Record<string, unknown>[];
    const used = new Set(outcome.results.map(({ tool }) => tool));
    expect([...used].sort()).toEqual(listed.map(({ name }) => name).sort());
    for (const { name, summary, description, parameters, risk } of listed) {
      expect({ name, summary, description, risk }).toEqual({
        name,
        summary: expect.stringMatching(/\S/),
        description: expect.stringMatching(/\S/),
        risk: expect.stringMatching(/^(read|write|exec|net)$/),
      });
      expect(parameters, String(name)).toMatchObject({ type: 'object' });
    }
  });

  it('has changed the repository, and nothing that git hides', () => {
    expect(file('src/cart.ts')).toContain('return round(sum);');
    expect(file('src/prices.ts')).toContain("console.warn('no price for', item)");
    expect(workshop.git('status', '--short')).toBe(' M src/cart.ts\n M src/prices.ts\n?? src/round.ts\n');
  });

  it('costs less than the budget at first, and the tools that were found stay within it', async () => {
    const { estimateTokens } = await loadAccelerator('text');
    const [first] = workshop.model.requests;
    const { messages, tools } = first?.body ?? {};
    expect(estimateTokens(JSON.stringify({ messages, tools }))).toBeLessThan(BUDGET);
    const most = workshop.model.requests
      .map(({ body }) => body['tools'] as WireTool[])
      .reduce((left, right) => (right.length > left.length ? right : left));
    expect(most.map(({ function: { name } }) => name)).toContain('rewind');
    expect(estimateTokens(JSON.stringify(most.map((tool) => tool.function)))).toBeLessThan(BUDGET);
  });

  it('takes back what was explored, and keeps the report', () => {
    const after = workshop.model.requests.find(({ body }) => JSON.stringify(body['messages']).includes('cents: Yes'));
    const sent = JSON.stringify(after?.body['messages']);
    expect(sent).toContain('Only src/cart.ts rounds.');
    expect(sent).not.toContain('I look for it.');
  });

  it('is told as events: the session first, and for every call a beginning and an end', () => {
    const { events } = outcome;
    expect(events[0]).toMatchObject({ type: 'session', cwd: workshop.home.work });
    expect(events.at(-1)).toMatchObject({ type: 'agent_end' });
    const ids = (type: string) => events.filter((event) => event.type === type).map(({ toolCallId }) => toolCallId);
    expect(ids('tool_execution_end').sort()).toEqual(ids('tool_execution_start').sort());
    expect(new Set(ids('tool_execution_start')).size).toBe(outcome.results.length);
  });

  it('can be read afterwards', async () => {
    const [newest] = JSON.parse((await workshop.tenon(['session', 'list', '--json'])).out) as { id: string }[];
    const { code, out } = await workshop.tenon(['session', 'show', newest?.id ?? '']);
    expect(code).toBe(0);
    expect(out).toMatch(/Round the total\.[\s\S]*I will make a plan first\.[\s\S]*The total is rounded\./);
    expect(out).toContain('return round(sum);');
    expect(out).not.toMatch(/\[object Object\]|undefined/);
  });
});

describe('the same session', () => {
  it('goes on in every other mode of edit', { timeout: PATIENCE_MS }, async () => {
    for (const [mode, step] of Object.entries(EDITS)) {
      const env = { TENON_EDIT_MODE: mode };
      const run = await converse(workshop, [step], { prompt: step.say, last: 'Done.', flags: ['--continue'], env });
      for (const [index, { says }] of step.calls.entries()) {
        const { text, isError } = run.results[index] ?? {};
        expect({ mode, isError, text }).toEqual({ mode, isError: false, text: expect.stringMatching(says) });
      }
      expect(run.code, mode).toBe(0);
    }
    expect(existsSync(join(workshop.home.work, 'src/round.ts'))).toBe(false);
    expect(file('src/rounding.ts')).toBe(
      '/** Half a cent goes up. */\nexport const round = (euros: number) => Math.round(euros * 100) / 100;\n',
    );
    expect(file('src/index.ts')).toBe("export * from './cart.ts';\n");
  });

  it('answers in words on standard output, and tells on standard error why a tool was refused', async () => {
    const push = { say: 'I push it.', calls: [{ tool: 'bash', input: { command: 'git push --force' }, says: /./ }] };
    workshop.model.reply(
      { content: [{ type: 'toolCall', id: 'push_1', name: 'bash', arguments: push.calls[0]?.input }] },
      { content: [{ type: 'text', text: 'It needs your approval.' }] },
    );
    const { code, out, err } = await workshop.tenon(['--model', 'fake/m', '--continue', '-p', 'Push it.']);
    expect({ code, out }).toEqual({ code: 1, out: 'It needs your approval.\n' });
    const [, id = ''] = /tenon approval allow ([0-9a-f]+)/.exec(err) ?? [];
    expect(id).not.toBe('');
    // Another process says yes; then the same call goes through, once.
    expect(await workshop.tenon(['approval', 'allow', id])).toMatchObject({ code: 0 });
    const again = await converse(workshop, [push, push], { prompt: 'Again.', last: 'Done.', flags: ['--continue'] });
    const [through, refused] = again.results;
    expect(through?.text).toMatch(/No configured push destination|does not appear|fatal/);
    expect(refused?.text).toContain('needs approval (tier 3');
  });
});

describe('tenon tool run', () => {
  const run = async (name: string, input: object, ...flags: string[]) =>
    workshop.tenon(['tool', 'run', name, '--input', JSON.stringify(input), ...flags]);

  it.each([
    ['read', { path: 'README.md' }, /TODO/],
    ['find', { paths: ['*.json'] }, /^package\.json$/m],
    ['search', { pattern: 'TODO', paths: ['.'] }, /README\.md/],
    ['ast_grep', { pat: 'console.warn($$$A)', paths: ['src'] }, /meta: A=/],
    ['ast_edit', { ops: [{ pat: 'console.warn($$$A)', out: 'warn($$$A)' }], paths: ['src'] }, /preview of 1/],
    ['write', { path: 'tmp/a.txt', content: 'one\n' }, /^Created tmp\/a\.txt/],
    ['edit', { input: '@@ tmp/a.txt\n+ EOF\n~two\n' }, /\+2[a-z]{2}\|two/],
    ['bash', { command: 'pwd; echo $0' }, /work\n/],
    ['eval', { input: '*** Cell py\n6 * 7' }, /42/],
    ['todo_write', { ops: [{ op: 'init', items: ['one'] }] }, /\[>\] one/],
    ['job', { list: true }, /no background jobs/],
    ['calc', { calculations: [{ expression: '6 * 7' }] }, /^42$/m],
    ['render_mermaid', { mermaid: 'graph TD; A-->B' }, /│ A │/],
    ['recipe', { op: 'check' }, /all good/],
    ['web_search', { query: 'rounding' }, /example\.com\/rounding/],
    ['search_tool_bm25', { query: 'calculator' }, /"calc"/],
  ])('runs %s outside of a conversation', async (name, input, says) => {
    const { code, out, err } = await run(name, input);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(says);
  });

  it('runs fetch outside of a conversation', async () => {
    const { code, out } = await run('fetch', { url: `${workshop.web}/rounding` });
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('**cents**') });
  });

  it('ends when the command has ended: a shell that is closed while it writes down its state once did not', async () => {
    for (let round = 0; round < 5; round++)
      expect(await run('bash', { command: 'echo hi' })).toMatchObject({ code: 0 });
  });

  it.each([
    ['ask', { questions: [{ id: 'a', question: 'Why?', options: [{ label: 'x' }] }] }, 'Nobody can answer here'],
    ['checkpoint', { goal: 'x' }, 'needs a conversation'],
    ['rewind', { report: 'x' }, 'needs a conversation'],
    ['resolve', { action: 'apply', reason: 'x' }, 'Call ast_edit first'],
    ['bash', { command: 'true', async: true }, 'belongs to no session'],
  ])('says of %s why it cannot do that here', async (name, input, says) => {
    const { code, out, err } = await run(name, input);
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringContaining(says) });
  });

  it('edits in the mode that --edit-mode names, and takes it for no other tool', async () => {
    const input = { path: 'tmp/a.txt', edits: [{ old_text: 'two', new_text: 'three' }] };
    expect(await run('edit', input, '--edit-mode', 'replace')).toMatchObject({ code: 0 });
    expect(file('tmp/a.txt')).toBe('one\nthree\n');
    expect(await run('edit', input, '--edit-mode', 'ed')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Modes: hashline'),
    });
    expect(await run('read', { path: '.' }, '--edit-mode', 'vim')).toMatchObject({ code: 2 });
  });

  it('gives the result as JSON, also of a failure', async () => {
    const good = await run('bash', { command: 'echo hi; exit 3' }, '--json');
    expect(good.code).toBe(1);
    expect(JSON.parse(good.out)).toMatchObject({ isError: true, details: { exitCode: 3 } });
    const own = join(workshop.home.folder, 'home/config/policy.yml');
    const refused = await run('write', { path: own, content: 'rules: []' }, '--json');
    expect(JSON.parse(refused.out)).toMatchObject({ isError: true, details: { refused: { by: 'approval' } } });
    expect(existsSync(own)).toBe(false);
  });

  it('refuses what the policy refuses, and everything when the policy cannot be understood', async () => {
    const policy = join(workshop.home.folder, 'home/config/policy.yml');
    try {
      writeFileSync(policy, 'rules:\n  - { decide: deny, command: echo secret **, reason: keep it }\n');
      expect((await run('bash', { command: 'true && echo secret plan' })).err).toContain('keep it');
      expect((await run('bash', { command: 'echo open' })).out).toBe('open\n');
      writeFileSync(policy, 'rules:\n  - { decide: perhaps }\n');
      const { code, err } = await run('read', { path: 'README.md' });
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`${policy}:2`) });
    } finally {
      writeFileSync(policy, 'rules: []\n');
    }
  });

  it('explains input that does not fit, and repairs what almost does', async () => {
    expect(await run('find', { pathz: 1 })).toMatchObject({ code: 1, err: expect.stringContaining('paths: string[]') });
    const { code, out } = await run('find', { paths: '["*.json"]' });
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^package\.json\n[\s\S]*repaired/) });
  });
});

describe('what a call loads', () => {
  const loaded = async (tool: string, input: object) => {
    const folder = join(workshop.home.folder, `loaded-by-${tool}`);
    await workshop.tenon(['tool', 'run', tool, '--input', JSON.stringify(input)], { NODE_V8_COVERAGE: folder });
    type Script = { url: string; functions: { functionName: string; ranges: { count: number }[] }[] };
    const scripts = readdirSync(folder).flatMap(
      (name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: Script[] }).result,
    );
    // Modules that are loaded together are one script: what has run tells more than what is there.
    const hasRun = (wanted: string) =>
      scripts.some(({ functions }) =>
        functions.some(({ functionName, ranges }) => functionName === wanted && (ranges[0]?.count ?? 0) > 0),
      );
    return { sandbox: hasRun('createSandboxes'), judge: scripts.some(({ url }) => url.includes('/assess-')) };
  };

  it('is neither the parser of commands nor the sandbox for a file that is read, and both for a command', async () => {
    expect(await loaded('read', { path: 'README.md' })).toEqual({ sandbox: false, judge: false });
    expect(await loaded('bash', { command: 'true' })).toEqual({ sandbox: true, judge: true });
  });
});

describe('the friendly forms', () => {
  it.each([
    [['grep', 'TODO', 'README.md'], 0, /^README\.md:3:TODO/],
    [['grep', 'nowhere to be found'], 1, /^$/],
    [['find', '*.json'], 0, /^package\.json$/m],
    [['ast', 'console.warn($$$A)', 'src'], 0, /^src\/prices\.ts:5:/],
    [['read', 'README.md', '--lines', '3-3'], 0, /^3[a-z]{2}\|TODO.*\n$/],
  ])('%s', async (words, code, says) => {
    expect(await workshop.tenon(words)).toEqual({ code, out: expect.stringMatching(says), err: '' });
  });
});
