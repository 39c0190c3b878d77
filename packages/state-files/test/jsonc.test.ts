import { patientLimit } from '@tenon/test-kit/waiting';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editJsonc, type JsonPath, parseJsonc } from '../src/index.ts';

const START = `{
  // The servers that we all use.
  "mcpServers": {
    "one": { "command": "x" }, /* keep */
    "two": { "command": "y", }, // the second
  },
}
`;

describe('reading JSON with comments', () => {
  it('comments and trailing commas do not count, strings stay as they are', () => {
    const text = '\uFEFF{ // c\n "a": "x // y, }", /* , } */ "b": [1, 2, /* z */],\n}';
    expect(parseJsonc(text)).toEqual({ a: 'x // y, }', b: [1, 2] });
  });

  it('an error says what is wrong, and in which line where the engine knows', () => {
    expect(() => parseJsonc('{\n  // fine\n  "a": oops\n}')).toThrow("no valid JSON: Unexpected token 'o'");
    expect(() => parseJsonc('{\n  // fine\n  "a": 1 2\n}')).toThrow('line 3');
  });

  it.each(['",\\"', ',/*', '"\\', ', ', '/*', '"\n', ',/**/', '[ '])(
    'half a megabyte of %j is refused without searching it again and again',
    (piece) => {
      const text = piece.repeat(Math.floor(500_000 / piece.length));
      const started = Date.now();
      expect(() => parseJsonc(text)).toThrow();
      // Quadratic work would take minutes.
      expect(Date.now() - started).toBeLessThan(patientLimit(10_000));
    },
  );
});

describe('edits of JSON with comments', () => {
  it('add, change and remove a value, and leave the rest as it is', async () => {
    expect(await editJsonc(START, [[['mcpServers', 'three'], { command: 'z' }]])).toBe(
      START.replace('// the second\n', '// the second\n    "three": {\n      "command": "z"\n    },\n'),
    );
    expect(await editJsonc(START, [[['mcpServers', 'one', 'command'], false]])).toBe(START.replace('"x"', 'false'));
    expect(await editJsonc(START, [[['mcpServers', 'one', 'enabled'], true]])).toBe(
      START.replace('"x" }', '"x", "enabled": true }'),
    );
    expect(await editJsonc(START, [[['mcpServers', 'two'], undefined]])).toBe(
      START.replace('"two": { "command": "y", }, ', ''),
    );
    expect(await editJsonc(START, [[['nothing', 'here'], undefined]])).toBe(START);
  });

  it('keep tabs, line ends, a byte order mark and a single line', async () => {
    const set = (text: string) => editJsonc(text, [[['b'], [1]]]);
    expect(await set('\uFEFF{\r\n\t"a": 1\r\n}\r\n')).toBe('\uFEFF{\r\n\t"a": 1,\r\n\t"b": [\r\n\t\t1\r\n\t]\r\n}\r\n');
    expect(await set('{"a":1}')).toBe('{"a":1, "b": [1]}');
    expect(await set('{}\n')).toBe('{\n  "b": [\n    1\n  ]\n}\n');
    expect(await set('{ // nothing yet\n}')).toBe('{ // nothing yet\n  "b": [\n    1\n  ]\n}');
    expect(await set('')).toBe('{\n  "b": [\n    1\n  ]\n}\n');
    expect(await set('// only this\n')).toBe('// only this\n{\n  "b": [\n    1\n  ]\n}\n');
  });

  it('treat a key that stands there twice as its last value, and remove both', async () => {
    const twice = '{ "a": 1, "a": { "b": 2 } }';
    expect(await editJsonc(twice, [[['a', 'b'], 3]])).toBe('{ "a": 1, "a": { "b": 3 } }');
    expect(await editJsonc(twice, [[['a'], undefined]])).toBe('{ }');
  });

  it('are refused where there is no object', async () => {
    await expect(editJsonc('[]', [[['a'], 1]])).rejects.toThrow('it is no JSON object');
    await expect(editJsonc('{ "a": 1 oops }', [[['b'], 1]])).rejects.toThrow('no valid JSON');
  });

  const key = fc.constantFrom('a', 'b', 'mcpServers', 'x y', '__proto__', '__proto__x', 'ü"\\', '/*', '//');
  const path = fc.tuple(key, key) as fc.Arbitrary<[string, string]>;
  const value = fc.jsonValue({ maxDepth: 2 });

  it('give the value that a model gives, whatever the file holds', async () => {
    await fc.assert(
      fc.asyncProperty(commentedObject(key, value), path, value, async ({ text }, [first, second], content) => {
        const expected = parseJsonc(text) as Record<string, Record<string, unknown>>;
        const inner = own(expected, first);
        put(expected, first, { ...(isObject(inner) ? inner : {}) });
        put(own(expected, first) as Record<string, unknown>, second, content);
        const set = await editJsonc(text, [[[first, second], content]]);
        expect(plain(parseJsonc(set))).toBe(plain(expected));
        delete (own(expected, first) as Record<string, unknown>)[second];
        expect(plain(parseJsonc(await editJsonc(set, [[[first, second], undefined]])))).toBe(plain(expected));
      }),
    );
  });

  it('keep every comment that is not inside the value, byte for byte and in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        commentedObject(key, value),
        key,
        fc.option(value, { nil: undefined }),
        async ({ text, comments }, name, content) => {
          const edited = await editJsonc(text, [[[name], content]]);
          const outside = comments.filter((comment) => comment.inside !== name).map((comment) => comment.text);
          let from = 0;
          for (const comment of outside) {
            const at = edited.indexOf(comment, from);
            expect(at, `${comment} in ${edited}`).toBeGreaterThanOrEqual(0);
            from = at + comment.length;
          }
        },
      ),
    );
  });

  it('that are undone leave the text as it was, blanks and commas aside', async () => {
    await fc.assert(
      fc.asyncProperty(commentedObject(key, value), value, async ({ text }, content) => {
        const added: JsonPath = ['a new key'];
        const set = await editJsonc(text, [[added, content]]);
        const removed = await editJsonc(set, [[added, undefined]]);
        // A comma may come to stand on the other side of a comment.
        expect(removed.replaceAll(/[\s,]/g, '')).toBe(text.replaceAll(/[\s,]/g, ''));
      }),
    );
  });
});

interface Commented {
  readonly text: string;
  readonly comments: readonly { readonly text: string; readonly inside?: string }[];
}

/** An object as people write it: comments in every place where one may stand, trailing commas, different blanks. */
function commentedObject(key: fc.Arbitrary<string>, value: fc.Arbitrary<fc.JsonValue>): fc.Arbitrary<Commented> {
  const gap = fc.constantFrom('', ' ', '\n', '\n  ', '\r\n\t', '//', '/*', '/*\n');
  const inner = fc.oneof(value, fc.dictionary(key, value));
  const members = fc.uniqueArray(fc.tuple(key, inner, fc.array(gap, { minLength: 5, maxLength: 5 })), {
    selector: ([name]) => name,
    maxLength: 4,
  });
  return fc.tuple(members, gap, fc.boolean()).map(([list, last, hasComma]) => {
    const comments: { text: string; inside?: string }[] = [];
    const filled = (kind: string | undefined, inside?: string) => {
      if (!kind?.startsWith('/')) return kind ?? '';
      const text = `${kind} comment ${comments.length} "{,${kind === '//' ? '' : '*/'}`;
      comments.push(inside === undefined ? { text } : { text, inside });
      return kind === '//' ? `${text}\n` : text;
    };
    const body = list.map(([name, content, gaps], index) => {
      const comma = index < list.length - 1 || hasComma ? `${filled(gaps[3])},` : '';
      // What stands between a key and its value goes with the value.
      const text = `${filled(gaps[0])}${JSON.stringify(name)}${filled(gaps[1], name)}:${filled(gaps[2], name)}`;
      return `${text}${JSON.stringify(content, undefined, index % 2)}${comma}`;
    });
    // The comma's comment was made before the member's own, so the order is taken from the text.
    const text = `{${body.join('')}${filled(last)}}`;
    return { text, comments: comments.toSorted((a, b) => text.indexOf(a.text) - text.indexOf(b.text)) };
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const own = (object: object, name: string): unknown => Object.getOwnPropertyDescriptor(object, name)?.value;
const put = (object: object, name: string, value: unknown) =>
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
/** As text with sorted keys, because a key `__proto__` confuses comparisons. */
const plain = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) =>
    isObject(item) ? { keys: Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)) } : item,
  );
