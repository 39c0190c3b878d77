/** What the examples print with the offline model, wherever the SDK is. */
import { expect } from 'vitest';
import type { Ended } from './plain-node.ts';

/** The folder that the examples work in. */
export const WORK = { 'list.md': '# Apples\n', 'shop.mjs': 'export {};\n', 'shop.env': 'KEY=1\n' };

/** The example -> what must be true of its output. */
export const EXAMPLES: Readonly<Record<string, (out: string) => void>> = {
  minimal: (out) => {
    expect(out).toContain('Found 3 files:');
    // The newest comes first, and these are all of one moment.
    expect(out.match(/^- .+$/gm)?.sort()).toEqual(['- list.md', '- shop.env', '- shop.mjs']);
  },
  'own-tools': (out) => {
    expect(out).toContain('[read: 12 pieces]\n');
    expect(out).toContain('`stock/apples`:\n\n```\n12 pieces\n```');
  },
  branches: (out) => {
    expect(out).toBe('2 ways to ask\nback at 4 messages\n2 messages in the other session\n');
  },
  'rpc-host': (out) => {
    expect(out).toContain('[read]\n`weather://bergen`:');
    expect(out).toContain('It is raining in bergen.');
    expect(out).toContain('[bash]\n`date` succeeded.\n\n```\nrobot: did date\n```');
  },
  typed: (out) => {
    expect(out).toBe('find: done\nread: refused\n');
  },
};

/** Checks one run. */
export function expectExample(name: string, { code, out, err }: Ended): void {
  expect({ code, err }).toEqual({ code: 0, err: '' });
  EXAMPLES[name]?.(out);
}
