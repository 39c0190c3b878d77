import { type CallOptions, runCommand as runIn } from '@tenon/test-kit/command-run';
import { describe, expect, it } from 'vitest';
import { subagentWorld } from './support/world.ts';

const agentDefinitions = {
  '.claude/agents/mine.md':
    '---\nname: mine\ndescription: Does it\ntools: Read, Grep\nmodel: sonnet\n---\nDo it well.\n',
};

interface Options extends CallOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, unknown>>;
}

async function runCommand(words: string, { files = {}, settings = {}, ...call }: Options = {}) {
  const { kernel, cwd } = await subagentWorld({ main: [] }, { files, subagents: settings });
  return runIn(kernel, words, { cwd, ...call });
}

describe('tenon agents', () => {
  it('lists all with where they are from', async () => {
    const { out } = await runCommand('agents list', { files: agentDefinitions });
    expect(out).toMatch(/^explore {5}Finds out/m);
    expect(out).toMatch(/^mine {8}Does it \(project, model sonnet\)$/m);
  });

  it('lists them as data', async () => {
    const { json } = await runCommand('agents list', { flags: { json: true }, settings: { disabled: ['plan'] } });
    const { agents } = json as { agents: readonly { name: string; disabledBy: string | null }[] };
    expect(agents.map(({ name }) => name)).toEqual(['explore', 'plan', 'quick_task', 'reviewer', 'task']);
    expect(agents.find(({ name }) => name === 'plan')?.disabledBy).toBe('plan');
  });

  it('shows one, with our names of its tools', async () => {
    const { out } = await runCommand('agents show', { args: { name: 'mine' }, files: agentDefinitions });
    expect(out).toContain('tools: read, search');
    expect(out).toContain('Do it well.');
    const { json } = await runCommand('agents show', { args: { name: 'explore' }, flags: { json: true } });
    expect(json).toMatchObject({
      name: 'explore',
      from: 'bundled',
      path: null,
      hasSchema: true,
      output: { type: 'object' },
    });
  });

  it('says which ones there are when one is unknown', async () => {
    await expect(runCommand('agents show', { args: { name: 'exlpore' } })).rejects.toThrow(
      /no subagent "exlpore".*explore/,
    );
  });
});
