import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WorkerAdapter } from '../src/api.ts';
import { BUILT_IN } from '../src/adapters/built-in.ts';
import { adapter as claude } from '../src/adapters/claude.ts';
import { canonicalJson, fingerprint, normalizeCapabilities } from '../src/capabilities/fingerprint.ts';
import { capabilityIssues } from '../src/capabilities/issues.ts';
import type { WorkerCapabilities, WorkerSpec } from '../src/spec.ts';

const { capabilities } = claude.spec;

describe('the fingerprint of capabilities', () => {
  const tools = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c'), kind: fc.constant('read' as const) }));

  it('is the same for what means the same', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(['a', 'b', 'c', 'd'], { minLength: 4 }), tools, (order, more) => {
        const make = (names: readonly string[]): WorkerCapabilities => ({
          ...capabilities,
          tools: names.map((name) => ({ name, kind: 'read' })),
        });
        const usual = fingerprint(make(['a', 'b', 'c', 'd']));
        expect(fingerprint(make(order))).toBe(usual);
        expect(fingerprint({ ...make(order), tools: [...make(order).tools, ...more] })).toBe(usual);
      }),
    );
    const blank = { ...capabilities, tools: [{ name: ' x ', kind: 'read', description: '  ' } as const] };
    expect(normalizeCapabilities(blank).tools).toEqual([{ name: 'x', kind: 'read' }]);
  });

  it('is another one for what means something else', () => {
    expect(fingerprint({ ...capabilities, resume: 'none' })).not.toBe(fingerprint(capabilities));
    expect(fingerprint(capabilities)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('does not depend on the order of keys', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: undefined })).toBe('{"b":[1,{"c":"x","d":null}]}');
  });
});

describe('the doctor of capabilities', () => {
  it.each(Object.entries(BUILT_IN))('finds no contradiction in %s', async (_id, load) => {
    expect(capabilityIssues((await load()).adapter)).toEqual([]);
  });

  const changed = (can: Partial<WorkerCapabilities>, spec: Partial<WorkerSpec> = {}): WorkerAdapter => ({
    ...claude,
    spec: { ...claude.spec, ...spec, capabilities: { ...capabilities, ...can } },
  });
  const without = (adapter: WorkerAdapter, key: 'interactive'): WorkerAdapter => {
    const { [key]: _left, ...rest } = adapter;
    return rest;
  };
  const read = { name: 'Read', kind: 'read' } as const;

  it.each([
    ['interactive-without-resume', changed({ resume: 'none' })],
    ['interactive-missing', changed({ interactive: false })],
    ['interactive-missing', without(claude, 'interactive')],
    ['preset-without-resume', changed({ resume: 'none' })],
    ['sum-without-session', changed({ usage: 'session-sum', resume: 'none' })],
    ['usage-file-unread', changed({ usage: 'file' })],
    ['cost-without-usage', changed({ usage: 'none', cost: true })],
    ['yolo-never', changed({ yolo: 'never' })],
    ['probe-without-key', changed({}, { probe: { kind: 'http', url: 'https://x', variables: [] } })],
    ['probe-without-url', changed({}, { probe: { kind: 'http' } })],
    ['no-vendor', changed({}, { vendor: ' ' })],
    ['bad-host', changed({}, { hosts: ['https://api.anthropic.com/'] })],
    ['duplicate-tool', changed({ tools: [read, read] }, { sideEffects: [] })],
    ['nameless-tool', changed({ tools: [{ name: ' ', kind: 'read' }] }, { sideEffects: [] })],
    ['unknown-side-effect', changed({ tools: [read] }, { sideEffects: ['Bash'] })],
    ['exec-without-side-effect', changed({}, { sideEffects: [] })],
    ['resume-ignored', changed({ resume: 'none' })],
    [
      'preset-ignored',
      { ...changed({}), command: (task) => claude.command({ ...task, session: { id: 'other', how: 'resume' } }) },
    ],
    ['model-ignored', changed({ models: false })],
    ['mcp-ignored', changed({ mcp: 'none' })],
    ['folders-ignored', changed({ addFolders: false })],
    ['yolo-ignored', changed({ yolo: 'always' })],
    ['schema-ignored', changed({ structuredOutput: 'none' })],
    ['prompt-missing', { ...claude, command: () => ({ program: 'x', args: [], env: {} }) }],
    [
      'command-fails',
      {
        ...claude,
        command: () => {
          throw new Error('no');
        },
      },
    ],
    ['interactive-elsewhere', { ...claude, interactive: () => ({ program: 'x', args: [], env: {} }) }],
    [
      'option-without-description',
      changed({}, { options: { type: 'object', properties: { a: { type: 'string', 'x-flag': 'a' } } } }),
    ],
    [
      'option-without-dash',
      changed({}, { options: { type: 'object', properties: { a: { type: 'string', 'x-flag': 'a' } } } }),
    ],
  ] satisfies [string, WorkerAdapter][])('finds %s', (rule, adapter) => {
    expect(capabilityIssues(adapter).map((issue) => issue.rule)).toContain(rule);
  });
});
