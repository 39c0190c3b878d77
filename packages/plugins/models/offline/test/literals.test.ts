import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { interpret } from '../src/language/interpret.ts';
import { openWorkshop, type Workshop } from '@tenon/test-kit/offline-workshop';

let open: Workshop | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});
const workshop = async (...args: Parameters<typeof openWorkshop>) => (open = await openWorkshop(...args));

describe('what is to be written or run', () => {
  it('keeps every character that the user wrote', async () => {
    const shop = await workshop({ 'index.ts': 'export {};\n' });
    const writes: readonly (readonly [says: string, path: string, text: string])[] = [
      ['create file a/b/c.json with {"a":1}', 'a/b/c.json', '{"a":1}\n'],
      ['create a file q.txt with it\'s "fine"', 'q.txt', 'it\'s "fine"\n'],
      ['create a file f.js with const f = () => "x";', 'f.js', 'const f = () => "x";\n'],
      ['create a file e.txt with look everywhere in src!', 'e.txt', 'look everywhere in src!\n'],
      ['create a file notes.txt in docs with "hello"', 'docs/notes.txt', 'hello\n'],
      ['write {"a": "b -> c"} to d.json', 'd.json', '{"a": "b -> c"}\n'],
      ['add the line \'export * from "./a";\' to index.ts', 'index.ts', 'export {};\nexport * from "./a";\n'],
    ];
    for (const [says, path, text] of writes) {
      await shop.ask(says);
      expect(shop.read(path), says).toBe(text);
    }
  });

  it('runs a command with its quotes and marks', async () => {
    const shop = await workshop({ 'a.txt': 'x\n' });
    expect(await shop.ask(`run printf '%s|' "a  b" c!`)).toContain('a  b|c!|');
    expect(await shop.ask(`run git commit --allow-empty -m "it's a message" --dry-run`)).toContain(
      '`git commit --allow-empty -m "it\'s a message" --dry-run`',
    );
    expect(await shop.ask("run echo it's")).toContain("`echo it's` failed");
    expect(await shop.ask('please run echo hi.')).toContain('`echo hi` succeeded');
  });

  it('asks whether a folder behind a bare command belongs to it', async () => {
    const shop = await workshop({ 'src/a.txt': 'x\n' });
    expect(await shop.ask('run ls in src')).toContain('1. run `ls` in `src`\n2. run `ls in src`');
    expect(await shop.ask('1')).toContain('a.txt');
  });

  const piece = fc.constantFrom(
    ...'{}[]()<>"\'`:;,.!?$&|=+-*/\\#@~^%_ xyz019'.split(''),
    '=>',
    '->',
    "it's",
    ' in src',
    ' and ',
    '"a b"',
  );
  const content = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => `x${pieces.join('')}x`);

  it('is never another text than the one that was written, whatever its characters', () => {
    const numRuns = caseCount(500);
    let understood = 0;
    fc.assert(
      fc.property(content, (text) => {
        const written = interpret(`create a file a.txt with ${text}`);
        if (written.type === 'request' && written.request.intent === 'create') {
          expect(written.request.slots['text']).toBe(text);
          understood++;
        }
        const command = interpret(`run echo ${text}`);
        if (command.type === 'request' && command.request.intent === 'run') {
          expect(command.request.slots['command']).toBe(`echo ${text}`);
        }
      }),
      { numRuns },
    );
    expect(understood).toBeGreaterThan(numRuns / 2);
  });
});
