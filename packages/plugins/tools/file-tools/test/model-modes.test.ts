import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentFactory } from '@tenon/agent/api';
import { sessionStore } from '@tenon/sessions/api';
import { createWorld } from '@tenon/test-kit/agent-world';
import { SEEING } from '@tenon/test-kit/scripted-models';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { modeForModel } from '../src/edit/model-modes.ts';

afterEach(() => vi.unstubAllEnvs());

describe('the edit mode of a model', () => {
  it('is that of the first pattern that fits its id or its whole name, unless the environment chooses one for all', () => {
    const modes = { '*codex*': 'apply_patch', 'openai/*': 'patch', 'gpt-?': 'replace' };
    const mode = (provider: string, id: string, env = {}) => modeForModel({ provider, id }, modes, env);
    expect(mode('openai', 'gpt-5.3-Codex')).toBe('apply_patch');
    expect(mode('openai', 'gpt-5')).toBe('patch');
    expect(mode('azure', 'gpt-5')).toBe('replace');
    expect(mode('anthropic', 'claude-opus-5')).toBeUndefined();
    expect(mode('openai', 'gpt-5', { PI_EDIT_VARIANT: 'hashline' })).toBeUndefined();
  });

  it('holds for what the model is offered and for its calls, and changes with the model', async () => {
    const patch = ['*** Begin Patch', '*** Update File: a.txt', '@@', '-one', '+two', '*** End Patch'].join('\n');
    const { kernel, cwd, requests } = await createWorld({
      plugins: ['file-tools'],
      settings: { 'file-tools': { edit: { modelModes: { 'test/m': 'apply_patch', 'test/seeing': 'replace' } } } },
      script: [
        { calls: [{ name: 'edit', arguments: { input: patch } }] },
        { text: 'done' },
        { calls: [{ name: 'edit', arguments: { path: 'a.txt', edits: [{ old_text: 'two', new_text: 'three' }] } }] },
        { text: 'done' },
      ],
    });
    writeFileSync(join(cwd, 'a.txt'), 'one\n');
    const session = await (await kernel.find(sessionStore)).inMemory({ cwd });
    const { agent } = await (await kernel.find(agentFactory)).create({ session, cwd, tools: ['edit'] });
    await agent.prompt('change it');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('two\n');
    await agent.setModel(SEEING);
    await agent.prompt('again');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('three\n');
    const offered = requests.map(({ tools }) => Object.keys((tools[0]?.parameters['properties'] ?? {}) as object));
    expect(offered[0]).toEqual(['input']);
    expect(offered[2]).toContain('edits');
  });
});
