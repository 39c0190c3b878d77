import { caseCount } from '@tenon/test-kit/properties';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { PartialJson } from '../src/partial-json.ts';

/** What a prefix means, found the slow way: cut off what is not certain, close what is open, and ask JSON.parse. */
function slowly(prefix: string): unknown {
  const closers: string[] = [];
  const expectKey: boolean[] = [];
  let inString = false;
  let stringIsKey = false;
  let kept = 0; // Up to here the prefix is certain.
  let scalarStart = -1;
  const settle = (at: number) => {
    if (scalarStart >= 0) kept = at;
    scalarStart = -1;
  };
  let text = prefix;
  for (let at = 0; at < prefix.length; at++) {
    const char = prefix[at] as string;
    if (inString) {
      if (char === '\\') {
        const length = prefix[at + 1] === 'u' ? 6 : 2;
        if (at + length > prefix.length) {
          text = prefix.slice(0, at);
          break;
        }
        at += length - 1;
      } else if (char === '"') {
        inString = false;
        if (!stringIsKey) kept = at + 1;
      }
      continue;
    }
    if (/\s/.test(char)) settle(at);
    else if (char === '"') {
      inString = true;
      stringIsKey = expectKey.at(-1) === true;
    } else if (char === '{' || char === '[') {
      closers.push(char === '{' ? '}' : ']');
      expectKey.push(char === '{');
      kept = at + 1;
    } else if (char === '}' || char === ']') {
      settle(at);
      closers.pop();
      expectKey.pop();
      kept = at + 1;
    } else if (char === ',') {
      settle(at);
      if (closers.at(-1) === '}') expectKey[expectKey.length - 1] = true;
    } else if (char === ':') expectKey[expectKey.length - 1] = false;
    else if (scalarStart < 0) scalarStart = at;
  }
  const body = inString && !stringIsKey ? `${text}"` : prefix.slice(0, kept);
  const closed = body + [...closers].reverse().join('');
  return closed.trim() === '' ? undefined : JSON.parse(closed);
}

const json = fc
  .tuple(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t'))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

/** JSON.stringify writes most characters as they are; here the same texts with escapes. */
const escaped = json.map((text) =>
  text.replace(/[^\u0000-\u007e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
);

describe('reading JSON as it arrives', () => {
  it('gives after every prefix what closing the prefix and parsing it gives', () => {
    fc.assert(
      fc.property(fc.oneof(json, escaped), (text) => {
        const reader = new PartialJson();
        for (let at = 0; at < text.length; at++) {
          reader.push(text[at] as string);
          expect(reader.value).toStrictEqual(slowly(text.slice(0, at + 1)));
        }
        const result = reader.end();
        expect(result.ok).toBe(true);
        expect(result.value).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: caseCount(300) },
    );
  });

  it('does not depend on how the text is cut into pieces', () => {
    fc.assert(
      fc.property(json, fc.array(fc.nat(12), { maxLength: 60 }), (text, cuts) => {
        const reader = new PartialJson();
        let at = 0;
        for (const length of cuts) reader.push(text.slice(at, (at += length)));
        reader.push(text.slice(at));
        expect(reader.end()).toStrictEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  it('accepts exactly the texts that JSON.parse accepts', () => {
    const mutated = fc
      .tuple(
        json,
        fc.nat(),
        fc.constantFrom('', '"', '\\', '{', ']', ',', ':', '0', '-', '.', 'e', 'u', '\n', 'é', '1'),
      )
      .map(([text, at, piece]) => {
        const cut = at % (text.length + 1);
        return text.slice(0, cut) + piece + text.slice(cut + (at % 2));
      });
    fc.assert(
      fc.property(mutated, (text) => {
        let expected: unknown;
        let valid = true;
        try {
          expected = JSON.parse(text);
        } catch {
          valid = false;
        }
        const result = new PartialJson().push(text).end();
        expect(result.ok, text).toBe(valid);
        if (valid) expect(result.value).toStrictEqual(expected);
      }),
      { numRuns: caseCount(1500) },
    );
  });

  it('keeps "__proto__" as an ordinary name', () => {
    const { value } = new PartialJson().push('{"__proto__": {"admin": true}}').end();
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect((value as { admin?: boolean }).admin).toBeUndefined();
  });

  it('says what is wrong and where', () => {
    expect(new PartialJson().push('{"a": 1').push(', b').end()).toMatchObject({
      ok: false,
      value: { a: 1 },
      problem: '"b" where a name belongs at character 9',
    });
    expect(new PartialJson().push('{"a": "tex').end()).toMatchObject({ ok: false, value: { a: 'tex' } });
  });

  it('looks at each character once: the work for a delta does not grow with what came before', () => {
    // Counted, not timed.
    const size = 1 << 17;
    const piece = 'x'.repeat(64);
    const reader = new PartialJson().push('{"content":"');
    const reads = vi.spyOn(String.prototype, 'charCodeAt');
    for (let at = 0; at < size; at += piece.length) {
      reader.push(piece);
      void (reader.value as { content: string }).content.length;
    }
    const count = reads.mock.calls.length;
    reads.mockRestore();
    expect((reader.push('"}').end().value as { content: string }).content.length).toBe(size);
    expect(count).toBeGreaterThanOrEqual(size);
    expect(count).toBeLessThan(size * 1.1);
  });
});
