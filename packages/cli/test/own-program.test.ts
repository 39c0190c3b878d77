/** Tenon's own program, called by an agent: it must not answer its own questions, whatever way it takes. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { composeKernel } from '@tenon/sdk/composition';
import { cliCommands } from '@tenon/command-line/api';
import { findFolders } from '@tenon/host';
import { converse, type ScriptedCall } from '@tenon/test-kit/program-conversation';
import { openWorkshop, type Workshop } from '@tenon/test-kit/program-workshop';
import { MAIN } from '@tenon/test-kit/program';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let shop: Workshop;
beforeEach(async () => {
  shop = await openWorkshop();
  // The worst case: no sandbox, and a person who allowed every command.
  shop.home.put('home/config/settings.yml', JSON.stringify({ sandbox: { profile: 'full' } }));
  shop.home.put('home/config/policy.yml', 'rules: [{ decide: allow, tool: [bash, eval], tier3: true }]\n');
});
afterEach(() => shop.close());

const mode = () => readFileSync(join(shop.home.folder, 'home/config/settings.yml'), 'utf8');
const bare = () => `env -i HOME=${shop.home.folder} TENON_HOME=${join(shop.home.folder, 'home')} PATH="$PATH"`;
const bash = (command: string, says: RegExp, fails = false): ScriptedCall => ({
  tool: 'bash',
  input: { command },
  says,
  ...(fails && { fails }),
});
const wait = 'for i in $(seq 100); do [ -s out ] && break; sleep 0.1; done; sleep 0.2; cat out';

/** Runs each call in a turn of its own, and compares what came of it. */
async function tries(calls: readonly ScriptedCall[]): Promise<void> {
  const steps = calls.map((call) => ({ say: 'next', calls: [call] }));
  const { results } = await converse(shop, steps, { last: 'done', prompt: 'go', flags: ['--tools', 'bash,eval'] });
  results.forEach((result, index) => expect(result.text).toMatch(calls[index]?.says ?? /never/));
  expect(results).toHaveLength(calls.length);
  expect(mode()).not.toContain('yolo');
}

describe('a command that only people may give', () => {
  it('is refused from the shell of an agent, in a cleared environment, a new session, on a terminal of its own', async () => {
    const refused = /is for people, and an agent has started this program/;
    await tries([
      bash('tenon approval allow deadbeef', refused, true),
      bash('tenon --cwd src approval allow deadbeef', refused, true),
      bash(`${bare()} tenon config set approval.mode yolo`, refused, true),
      bash(`unset TENON_SHELL TENON_AGENT; exec ${bare()} setsid -w tenon trust add .`, refused, true),
      bash(
        `script -qc "${bare().replaceAll('"', '\\"')} tenon config set approval.mode yolo" /dev/null`,
        refused,
        true,
      ),
      { tool: 'bash', input: { command: 'tenon auth logout anthropic', pty: true }, says: refused, fails: true },
      bash('TENON_SET=approval.mode=yolo tenon policy list', /^(?![\s\S]*Mode: yolo)[\s\S]*Mode: ask/),
      bash('tenon undo --yes --force', refused, true),
      // What it is fed would be judged by nobody.
      bash('echo id | tenon shell', refused, true),
      bash('tenon undo --list && tenon undo --list --yes', /^(?![\s\S]*is for people)/),
      bash('tenon --set approval.mode=yolo stats', /An agent has started this program .* so --set/, true),
    ]);
  });

  it('is refused to daemons: those that the shell has left behind, and orphans of a cell', async () => {
    const refused = /an agent has started this program/;
    const orphan = (file: string) =>
      [
        'import os, time',
        'if os.fork() == 0:',
        '    os.setsid()',
        '    if os.fork() == 0:',
        '        time.sleep(0.3)',
        `        out = os.open("${file}", os.O_WRONLY | os.O_CREAT)`,
        '        os.dup2(out, 1); os.dup2(out, 2)',
        `        env = {"HOME": "${shop.home.folder}", "TENON_HOME": "${join(shop.home.folder, 'home')}"}`,
        `        os.execve("${process.execPath}", ["node", "${MAIN}", "config", "set", "approval.mode", "yolo"], env)`,
        '    os._exit(0)',
        'time.sleep(3)',
        `print(open("${file}").read())`,
      ].join('\n');
    await tries([
      bash(`(${bare()} setsid nohup tenon config set approval.mode yolo >out 2>&1 </dev/null &); ${wait}`, refused),
      bash(`rm out; (setsid sh -c '(sleep 0.3; ${bare()} tenon trust add . >out 2>&1) &' &); ${wait}`, refused),
      {
        tool: 'eval',
        input: { input: orphan(join(shop.home.work, 'orphan')) },
        says: refused,
      },
    ]);
  });

  it('works for people, their scripts and their timers', async () => {
    const { home } = shop;
    expect(home.tenon(['config', 'set', 'approval.mode', 'strict'])).toMatchObject({ code: 0 });
    expect(home.bash('setsid -w tenon trust add . </dev/null').err).toBe('');
    const timer = spawnSync(
      'env',
      ['-i', `TENON_HOME=${home.folder}/home`, process.execPath, MAIN, 'approval', 'clear'],
      {
        cwd: home.work,
        encoding: 'utf8',
      },
    );
    expect(timer).toMatchObject({ status: 0, stdout: expect.stringContaining('Forgot 0 calls') });
    expect(home.tenon(['--set', 'approval.mode=yolo', 'policy', 'list']).out).toContain('Mode: yolo');
  });
});

/** Show something, and change nothing that lasts. */
const READS = `account list|agents list|agents show|approval explain|approval list|approval show|auth list|channels list|commands list|commands show|completion|config get|config list
  |config path|config schema|discover|doctor|extension check|extension list|fleet status|help|history|hooks list|lsp status|map|marketplace list|mcp list|mcp logs|memory export|memory list|memory show
  |mcp prompts|mcp resources|models list|opencode check|opencode list|plugin discover|plugin doctor|plugin hash|plugin inspect|plugin installed|plugin list
  |plugin outdated|plugin verify|policy check|policy list|rules list|rules show|runs list|runs logs|runs show|sandbox status|session list|session show|session tree
  |skills list|skills show|skills validate|ssh list|stats|tool list|tools list|tools show|trust list|trust status|url list|url read|worker capabilities|worker contract|worker doctor|worker list|workflow graph|workflow list|workflow show|worktree list|__complete
  |ast|find|grep|read`;
/** Do something, and go through approval and sandbox like the agent itself, or touch only sessions and new files. */
const HARMLESS = `agent|hooks setup|hooks test|mcp call|mcp reconnect|mcp serve|mcp test|plugin new|plugin reload|plugin test|runs keep|sandbox run
  |session export|session fork|session label|session remove|session rename|tool run|tools run|url write`;

it('every command reads, is harmless, or is for people only', async () => {
  const folders = findFolders({ TENON_HOME: shop.home.folder }, shop.home.work);
  const kernel = composeKernel({ version: '0', folders, overrides: { assignments: [], environment: {} } });
  const words = (text: string) => text.split('|').map((word) => word.trim());
  const open = kernel
    .read(cliCommands)
    .list()
    .filter(({ data }) => data['personOnly'] !== true)
    .map(({ key }) => key);
  await kernel.dispose();
  expect(open.toSorted()).toEqual([...words(READS), ...words(HARMLESS)].toSorted());
});
