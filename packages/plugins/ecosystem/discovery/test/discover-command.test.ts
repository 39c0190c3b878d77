import { type CommandCall } from '@tenon/command-line/api';
import { runCommand } from '@tenon/test-kit/command-run';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Fixture, makeFixture } from '@tenon/test-kit/discovery-fixture';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await makeFixture({
    'home/.claude/skills/one/SKILL.md': '---\ndescription: The first\n---\n',
    'project/.claude/skills/one/SKILL.md': '---\ndescription: Shadowed\n---\n',
    'project/.claude/commands/bad.md': '---\ndescription: [open\n---\nDo \u001b[31mit\n',
    'project/.mcp.json': '{"mcpServers":{"a":{"command":"run","args":["--key","sk-abcdefghijklmnopqrstuvwx"]}}}',
  });
});
afterEach(() => fixture.dispose());

async function discover(args: CommandCall['args'] = {}, flags: CommandCall['flags'] = {}) {
  const { out, err, json } = await runCommand(fixture.kernel, 'discover', { args, flags, cwd: fixture.project });
  return { out: out + err, json: json as { items: Row[]; ignored: Row[]; problems: { code: string }[] } };
}

interface Row {
  readonly kind: string;
  readonly name: string;
  readonly family: string;
  readonly level: string;
  readonly file: string;
  readonly ignored?: string;
}

test('people see each thing with its source and file, and problems once', async () => {
  const { out } = await discover();
  expect(out).toContain('Skills (1)\n  one  The first\n    claude user, ~/.claude/skills/one/SKILL.md\n');
  expect(out).toMatch(/\d more (?:is|are) not used; --all shows (?:it|them) and why\./);
  expect(out.match(/frontmatter of/g)).toHaveLength(1);
  expect(out).not.toContain('\u001b');
});

test('--all shows what is not used and why', async () => {
  const { out } = await discover({ kind: 'skills' }, { all: true });
  expect(out).toContain('- one  Shadowed');
  expect(out).toContain('not used: shadowed by ~/.claude/skills/one/SKILL.md');
});

test('programs get every item with its source, level, file and reason', async () => {
  const { json } = await discover({ kind: 'skill' }, { json: true });
  expect(json.items).toMatchObject([{ kind: 'skills', name: 'one', family: 'claude', level: 'user' }]);
  expect(json.ignored).toMatchObject([{ name: 'one', level: 'project' }]);
  expect(json.ignored[0]?.ignored).toBe(`shadowed by ${json.items[0]?.file}`);
});

test('a key on a command line is not shown', async () => {
  const { out } = await discover({ kind: 'mcp-servers' });
  expect(out).toContain('run --key [redacted]');
});

test('a family that has nothing here is no mistake; one that is none, and a kind that is none, say what there is', async () => {
  await expect(discover({ kind: 'skils' })).rejects.toMatchObject({ code: 'DISCOVERY_UNKNOWN_KIND' });
  await expect(discover({}, { family: 'cluade' })).rejects.toThrow(/claude/);
  for (const args of [{}, { kind: 'skills' }])
    for (const family of ['agents', 'codex', 'gemini-extensions', 'vscode'])
      expect((await discover(args, { family })).out).toContain('Nothing was found here.');
});
