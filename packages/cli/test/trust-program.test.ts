/** Trust holds for bytes in the built program: servers and extensions of a project whose parts changed do not start. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Home } from '@tenon/test-kit/program';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let home: Home;
beforeEach(() => (home = new Home()));
afterEach(() => rmSync(home.folder, { recursive: true, force: true }));

const starts = () => {
  const mark = join(home.folder, 'started');
  return existsSync(mark) ? readFileSync(mark, 'utf8').length : 0;
};
const marking = () =>
  `import { appendFileSync } from 'node:fs';\nappendFileSync(${JSON.stringify(join(home.folder, 'started'))}, 'x');\n`;

describe('in a trusted project', () => {
  it('an MCP server starts only with the bytes that were trusted, those of what it imports included', () => {
    const server = { command: process.execPath, args: ['tools/server.mjs'] };
    home.put('work/.mcp.json', JSON.stringify({ mcpServers: { theirs: server } }));
    home.put('work/tools/server.mjs', "import './part.mjs';\n");
    home.put('work/tools/part.mjs', marking());
    const test = () => home.tenon(['mcp', 'test', 'theirs']);
    test();
    expect(starts()).toBe(0);
    expect(home.tenon(['trust', 'add']).code).toBe(0);
    test();
    const before = starts();
    expect(before).toBeGreaterThan(0);
    home.put('work/tools/part.mjs', `${marking()}// One more line.\n`);
    const refused = test();
    expect(refused.code).toBe(1);
    expect(refused.out + refused.err).toContain('tools/part.mjs changed');
    expect(starts()).toBe(before);
    expect(home.tenon(['trust', 'add']).code).toBe(0);
    test();
    expect(starts()).toBeGreaterThan(before);
  });

  it('an extension starts only with the bytes that were trusted, those of what it imports included', () => {
    const extension = `import { text } from './parts/text.ts';
      export default (pi) => pi.registerTool({ name: 'speak', label: 'Speak', description: 'Speaks.',
        parameters: { type: 'object', properties: {} },
        execute: async () => ({ content: [{ type: 'text', text }], details: {} }) });\n`;
    home.put('work/.pi/extensions/speak/index.ts', extension);
    home.put('work/.pi/extensions/speak/parts/text.ts', "export const text = 'first';\n");
    const speak = () => home.tenon(['tool', 'run', 'speak', '--input', '{}', '--set', 'approval.mode=yolo']);
    expect(speak().out).not.toContain('first');
    expect(home.tenon(['trust', 'add']).code).toBe(0);
    const first = speak();
    expect(first.out, first.err).toContain('first');
    home.put('work/.pi/extensions/speak/parts/text.ts', "export const text = 'second';\n");
    const refused = speak();
    expect(refused.out).not.toContain('second');
    expect(refused.err).toMatch(/not what you trusted: speak/);
    expect(home.tenon(['trust', 'add']).code).toBe(0);
    expect(speak().out).toContain('second');
  });
});
