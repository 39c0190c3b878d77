/** Hooks that nobody waits for: said in the configuration, or by the hook itself while it runs. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@tenon/test-kit/waiting';
import { afterEach, describe, expect, test } from 'vitest';
import { hookWorld, removeWorlds, type HookFiles } from './support/hook-world.ts';

afterEach(removeWorlds);

/** Waits for a file, so that the test decides when the hook goes on. */
const AFTERWARDS = (root: string, body: string) => `while [ ! -e '${root}/go' ]; do sleep 0.02; done\n${body}`;
const goOn = ({ root }: HookFiles) => writeFileSync(join(root, 'go'), '');
const own = (files: HookFiles, event: string, hook: object) =>
  files.write('home/.claude/settings.json', { hooks: { [event]: [{ hooks: [{ type: 'command', ...hook }] }] } });

describe.each(['in the configuration', 'on its first line'])('a hook that says %s that it is asynchronous', (where) => {
  const isConfigured = where === 'in the configuration';
  const hook = (files: HookFiles, body: string) => {
    const announce = isConfigured ? '' : `echo '{"async": true, "asyncTimeout": 60000}'\n`;
    const command = files.script('later', announce + AFTERWARDS(files.root, body));
    return { command, ...(isConfigured && { async: true }) };
  };

  test('holds nothing up, and the model hears later what it has to say', async () => {
    const context = {
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'the build is red' },
    };
    const { agent, files, requests, lastRequest, notices } = await hookWorld({
      files: (all) =>
        own(
          all,
          'UserPromptSubmit',
          hook(all, `echo '${JSON.stringify({ ...context, systemMessage: 'looked at the build' })}'`),
        ),
    });
    await agent.prompt('one');
    expect(requests).toHaveLength(1);
    expect(lastRequest()).not.toContain('the build is red');
    goOn(files);
    await until(() => notices().includes('looked at the build'), 'the message of the hook');
    await agent.prompt('two');
    expect(lastRequest()).toContain('the build is red');
  });

  test('is reported when it fails, and cannot refuse any more', async () => {
    const { agent, files, requests, notices } = await hookWorld({
      files: (all) => own(all, 'UserPromptSubmit', hook(all, 'echo broken >&2; exit 1')),
    });
    await agent.prompt('one');
    expect(requests).toHaveLength(1);
    goOn(files);
    await until(() => notices().some((text) => text.includes('exit code 1: broken')), 'the warning');
  });

  test('ends with the session', async () => {
    const { agent, files, end } = await hookWorld({
      files: (all) => own(all, 'UserPromptSubmit', hook(all, `touch '${all.root}/finished'`)),
    });
    await agent.prompt('one');
    await end();
    goOn(files);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(existsSync(join(files.root, 'finished'))).toBe(false);
  });
});

test('an answer over several lines that mentions "async" is read as a whole', async () => {
  const { agent, requests, notices } = await hookWorld({
    files: (all) =>
      own(all, 'UserPromptSubmit', {
        command: all.script(
          'block',
          `printf '{ "systemMessage": "async",\\n  "decision": "block", "reason": "not now" }\\n'`,
        ),
      }),
  });
  await expect(agent.prompt('one')).rejects.toThrow('not now');
  expect(requests).toHaveLength(0);
  expect(notices()).toContain('async');
});

test('a hook of a plugin has a folder for its data, the same in every session', async () => {
  const folders: string[] = [];
  for (const [program, word] of [
    ['command', '"${CLAUDE_PLUGIN_ROOT}"/keep.sh'],
    ['args', '${CLAUDE_PLUGIN_ROOT}/keep.sh'],
  ] as const) {
    const { agent, files } = await hookWorld({
      files: (all) => {
        const root = join(all.home, '.claude/plugins/cache/shop/kit/1.0.0');
        all.write(join(root, '.claude-plugin/plugin.json'), { name: 'kit', version: '1.0.0' });
        all.write(
          join(root, 'keep.sh'),
          `echo "$CLAUDE_PLUGIN_DATA" > '${all.root}/data'; echo x >> "$CLAUDE_PLUGIN_DATA/log"\n`,
        );
        const run = program === 'command' ? { command: `sh ${word}` } : { command: 'sh', args: [word] };
        all.write(join(root, 'hooks/hooks.json'), {
          hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', ...run }] }] },
        });
        const install = { scope: 'user', installPath: root, version: '1.0.0' };
        all.write('home/.claude/plugins/installed_plugins.json', { version: 2, plugins: { 'kit@shop': [install] } });
        all.write('home/.claude/settings.json', { enabledPlugins: { 'kit@shop': true } });
      },
    });
    await agent.prompt('one');
    await agent.prompt('two');
    const folder = readFileSync(join(files.root, 'data'), 'utf8').trim();
    expect(readFileSync(join(folder, 'log'), 'utf8')).toBe('x\nx\n');
    folders.push(folder.split('/').slice(-2).join('/'));
  }
  expect(new Set(folders).size).toBe(1);
  expect(folders[0]).toMatch(/^plugin-data\/kit/);
});
