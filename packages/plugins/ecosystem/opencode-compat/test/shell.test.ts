import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createShell, plainWords } from '../src/runtime/shell.ts';
import { foreignArguments, ownArguments } from '../src/host/tool-names.ts';

const $ = createShell(process.cwd(), (fault) => fault);

describe('the shell of plugins', () => {
  test('passes every value on as one word, whatever is in it', async () => {
    const words = fc.array(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((word) => !word.includes('\0')),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    const program = `process.stdout.write(JSON.stringify(process.argv.slice(1)))`;
    await fc.assert(
      fc.asyncProperty(words, async (given) => {
        expect(await $`node -e ${program} -- ${given}`.json()).toEqual(given);
      }),
      { numRuns: 15 },
    );
  });

  test('splits plain commands as sh does, and leaves the others to sh', async () => {
    expect(plainWords(`git commit -m 'a b' "c d"`)).toEqual(['git', 'commit', '-m', 'a b', 'c d']);
    for (const text of ['a | b', 'a > b', '$x', 'a; b', 'A=1 b', 'cd x', 'a "$b"', 'a *', ''])
      expect(plainWords(text), text).toBeUndefined();
    expect(await $`printf '%s' a | tr a b`.text()).toBe('b');
  });

  test('throws what a failed command said, unless it was told not to', async () => {
    await expect($`node -e ${'console.error("oh"); process.exit(4)'}`).rejects.toMatchObject({ exitCode: 4 });
    expect((await $`node -e ${'process.exit(4)'}`.nothrow().quiet()).exitCode).toBe(4);
    expect(await $`pwd`.cwd('/').text()).toBe('/\n');
  });
});

describe('arguments of calls', () => {
  test('go there and back unchanged when a plugin changes nothing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('read', 'write', 'edit', 'search', 'find', 'bash', 'other'),
        fc.dictionary(
          fc.constantFrom('path', 'paths', 'input', 'command', 'x'),
          fc.oneof(fc.string(), fc.array(fc.string())),
          { noNullPrototype: true },
        ),
        fc.array(fc.string()),
        (tool, input, files) => {
          for (const args of foreignArguments({ tool, input, touches: { reads: files, writes: files } }))
            expect(ownArguments(tool, input, args, structuredClone(args))).toBe(input);
        },
      ),
    );
  });

  test('take a change of the file over, and refuse one that the tool has no words for', () => {
    const [args = {}] = foreignArguments({ tool: 'read', input: { path: 'a' }, touches: { reads: ['/w/a'] } });
    expect(ownArguments('read', { path: 'a' }, args, { ...args, filePath: '/w/b' })).toEqual({ path: '/w/b' });
    const [edit = {}] = foreignArguments({ tool: 'edit', input: { input: '' }, touches: { writes: ['/w/a'] } });
    expect(() => ownArguments('edit', { input: '' }, edit, { ...edit, filePath: '/w/b' })).toThrow('cannot be changed');
  });
});
