/** Options of a CLI as they come from a command line, a workflow or the web page. */
import { describe, expect, it } from 'vitest';
import { BUILT_IN, type BuiltInName } from '../src/adapters/built-in.ts';
import { fitOptions } from '../src/command/options.ts';
import type { WorkerAdapter } from '../src/api.ts';

const adapterOf = async (id: BuiltInName): Promise<WorkerAdapter> => (await BUILT_IN[id]()).adapter;

describe('options that were written as words', () => {
  it('become what the schema wants: a number stays a text where the CLI wants a text', async () => {
    const { spec } = await adapterOf('claude');
    expect(
      fitOptions(spec, {
        fromPr: '123',
        maxBudgetUsd: '2.5',
        maxTurns: '7',
        forkSession: 'true',
        strictMcpConfig: 'false',
        allowedTools: 'Read',
        disallowedTools: ['Bash', 'Write'],
        betas: '["x","y"]',
        agents: '{"reviewer":{"description":"reviews"}}',
        settings: '{"a":1}',
        // JSON would make another number of it.
        resume: '12345678901234567890',
      }),
    ).toEqual({
      fromPr: '123',
      maxBudgetUsd: 2.5,
      maxTurns: 7,
      forkSession: true,
      strictMcpConfig: false,
      allowedTools: ['Read'],
      disallowedTools: ['Bash', 'Write'],
      betas: ['x', 'y'],
      agents: { reviewer: { description: 'reviews' } },
      settings: '{"a":1}',
      resume: '12345678901234567890',
    });
  });

  it('may have been numbers in a file', async () => {
    const { spec } = await adapterOf('gemini');
    expect(fitOptions(spec, { deleteSession: 2, allowedTools: [1] })).toEqual({
      deleteSession: '2',
      allowedTools: ['1'],
    });
  });

  it('are one setting, several, or an object for Codex', async () => {
    const { spec } = await adapterOf('codex');
    expect(fitOptions(spec, { config: 'a=1' })).toEqual({ config: ['a=1'] });
    expect(fitOptions(spec, { config: ['a=1', 'b=2'] })).toEqual({ config: ['a=1', 'b=2'] });
    expect(fitOptions(spec, { config: '{"a":{"b":1}}' })).toEqual({ config: { a: { b: 1 } } });
  });

  it('are refused where nothing fits, by the name of the option', async () => {
    const { spec } = await adapterOf('claude');
    expect(() => fitOptions(spec, { maxTurns: 'many' })).toThrow(/option "maxTurns".*a whole number/);
    expect(() => fitOptions(spec, { forkSession: 'yes' })).toThrow(/option "forkSession".*true or false/);
    expect(() => fitOptions(spec, { fromPr: ['1', '2'] })).toThrow(/option "fromPr".*a text/);
    expect(() => fitOptions(spec, { allowedTool: 'Read' })).toThrow(/Did you mean "allowedTools"/);
  });
});
