/** What commands, skills and sessions may do without a question, in the built program. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { converse, type ScriptedCall } from '@tenon/test-kit/program-conversation';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let shop: Workshop;
beforeEach(async () => {
  shop = await openWorkshop();
  shop.git('init', '--quiet', '--bare', join(shop.home.folder, 'far.git'));
  shop.git('remote', 'add', 'origin', join(shop.home.folder, 'far.git'));
  shop.home.put('home/config/settings.yml', JSON.stringify({ sandbox: { profile: 'full' } }));
});
afterEach(() => shop.close());

const ALLOWED =
  '---\nallowed-tools: Bash(git status:*) Bash(git push:*)\n---\nShip it. Now: !`git push --dry-run origin main`\n';
const BARE = ALLOWED.replace(/allowed-tools:.*/, 'description: x');
const bash = (command: string, says: RegExp, fails = false): ScriptedCall => ({
  tool: 'bash',
  input: { command },
  says,
  fails,
});
const asks = /tenon approval allow/;
const pushes = /main -> main/;

async function run(prompt: string, calls: readonly ScriptedCall[]): Promise<string> {
  const steps = calls.map((call) => ({ say: 'Next.', calls: [call] }));
  const outcome = await converse(shop, steps, { prompt, last: 'Done.', flags: ['--no-session'] });
  for (const [index, { says, fails = false }] of calls.entries())
    expect(outcome.results[index], outcome.err).toMatchObject({ isError: fails, text: expect.stringMatching(says) });
  return outcome.err;
}
const sent = () => JSON.stringify(shop.model.requests.at(-1)?.body['messages']);

describe('allowed-tools of a command', () => {
  it('of the user count for what the command runs, and for the calls of its prompt, but for no other', async () => {
    shop.home.put('home/config/commands/ship.md', ALLOWED);
    await run('/ship', [bash('git push origin main', pushes), bash('git push --force origin main', asks, true)]);
    expect(sent()).toContain('main -> main');
    await run('go on', [bash('git push origin main', asks, true)]);
  });

  it('are needed: the same command without them asks', async () => {
    shop.home.put('home/config/commands/ship.md', BARE);
    const { code, err } = await shop.tenon(['--model', 'fake/m', '--no-session', '-p', '/ship']);
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/git push --dry-run origin main/) });
    expect(shop.model.requests).toEqual([]);
  });

  it('of a project count once the project is trusted', async () => {
    shop.home.put('work/.tenon/commands/ship.md', ALLOWED);
    shop.home.put('work/.tenon/commands/plain.md', ALLOWED.replace(/ Now:.*/, ''));
    await run('/plain', [bash('git push origin main', asks, true)]);
    const refused = await shop.tenon(['--model', 'fake/m', '--no-session', '-p', '/ship']);
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/trust/) });
    expect((await shop.tenon(['trust', 'add', '.'])).code).toBe(0);
    await run('/ship', [bash('git push origin main', pushes)]);
  });
});

describe('in the default sandbox', () => {
  it('scripts of the user’s skills run, notes of the session open, and neither can be used to change a skill', async (context) => {
    shop.home.put('home/config/settings.yml', '{}');
    const { profile } = JSON.parse((await shop.tenon(['sandbox', 'status', '--json'])).out) as { profile: string };
    if (profile === 'full') return context.skip();
    const script = '.claude/skills/greet/scripts/hi.sh';
    shop.home.put('.claude/skills/greet/SKILL.md', '---\nname: greet\ndescription: Greets\n---\nRun scripts/hi.sh.\n');
    shop.home.put(script, 'echo "hello $1"\n');
    const file = join(shop.home.folder, script);
    await run('go', [
      bash('bash skill://greet/scripts/hi.sh you', /^hello you/),
      bash(`bash ${file} again`, /^hello again/),
      { tool: 'write', input: { path: 'local://note.txt', content: 'kept here\n' }, says: /note\.txt/ },
      bash('cat local://note.txt && seq 30000', /Full: /),
      bash(`echo 'echo owned' > ${file}`, asks, true),
    ]);
    expect(readFileSync(file, 'utf8')).toBe('echo "hello $1"\n');
    expect(existsSync(join(shop.home.work, 'local:'))).toBe(false);
  });
});
