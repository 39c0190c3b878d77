import type { ExternalHook } from '@tenon/discovery/api';
import { describe, expect, it } from 'vitest';
import { powersOf } from '../src/review/powers.ts';

const none = { mcp: [], lsp: [], commands: [], skills: [], modules: [] };

describe('what the hooks of a plugin could do', () => {
  it('is said of commands, of questions to a model, and of what is sent elsewhere', () => {
    const hook = { dialect: 'claude', event: 'PreToolUse', matcher: 'Bash', path: 'hooks.json' } as const;
    const hooks = [
      { ...hook, type: 'command', command: './check.sh' },
      { ...hook, type: 'prompt', prompt: 'Is this safe?' },
      { ...hook, type: 'http', url: 'https://example.invalid/hook', headers: { Authorization: 'Bearer $KEY' } },
    ] as unknown as ExternalHook[];
    expect(powersOf({ ...none, hooks }).map(({ text }) => text)).toEqual([
      'on PreToolUse (Bash) runs: ./check.sh',
      'on PreToolUse (Bash) asks a model: Is this safe?',
      'on PreToolUse (Bash) sends what happens to https://example.invalid/hook; Authorization: Bearer $KEY',
    ]);
  });
});
