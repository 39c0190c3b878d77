/** The small parts: frames, positions, what is new, which root. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pluginContract } from '@tenon/kernel/testing';
import { packageJson } from '@tenon/test-kit/plugins';
import { putFiles, temporaryFolder } from '@tenon/test-kit/temporary';
import { surroundings } from '@tenon/test-kit/workbench';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from 'vscode-languageserver-protocol';
import plugin from '../src/plugin.ts';
import { languageOf, serversForFile, workspaceTop } from '../src/servers/fit.ts';
import { FrameGuard } from '../src/servers/frame-guard.ts';
import { TextDocument } from '../src/text-document.ts';
import { positionIn } from '../src/tool/place-in-file.ts';
import { newDiagnostics } from '../src/written/new-diagnostics.ts';

describe('the plugin', () => {
  it('keeps the plugin contract', async () => {
    const others = await surroundings(
      'sandbox',
      'trust',
      'file-tools',
      'search-tools',
      'syntax-tools',
      'command-line',
      'doctor',
    );
    await pluginContract({ source: packageJson('lsp'), plugin, others });
  });
});

describe('the guard of frames', () => {
  const frame = (body: string, extra = '') => `${extra}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

  /** Sends bytes in pieces; gives what comes through, or the error. */
  async function through(bytes: Buffer, cuts: readonly number[], maxBytes?: number): Promise<Buffer | string> {
    const guard = new FrameGuard(maxBytes);
    const parts: Buffer[] = [];
    guard.on('data', (part: Buffer) => parts.push(part));
    const ended = new Promise<Buffer | string>((resolve) => {
      guard.on('end', () => resolve(Buffer.concat(parts)));
      guard.on('error', (fault) => resolve(fault.message));
    });
    let from = 0;
    for (const to of [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
      if (!guard.destroyed) guard.write(bytes.subarray(from, to));
      from = to;
    }
    if (!guard.destroyed) guard.end();
    return ended;
  }

  it('passes valid frames on as they are, wherever they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'Content-Type: x\r\n')), {
          maxLength: 5,
        }),
        fc.array(fc.nat(), { maxLength: 8 }),
        async (bodies, cuts) => {
          const bytes = Buffer.from(bodies.map(([body, extra]) => frame(body, extra)).join(''));
          expect(await through(bytes, cuts)).toEqual(bytes);
        },
      ),
    );
  });

  it('stops anything else, wherever it is cut', async () => {
    const wrong = [
      frame('x').repeat(2) + 'Hello\r\n\r\n',
      'x'.repeat(5_000),
      'Content-Length: -1\r\n\r\n',
      frame('long enough'),
    ];
    for (const text of wrong)
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(), { maxLength: 4 }), async (cuts) => {
          expect(await through(Buffer.from(text), cuts, 10)).toMatch(/^it (?:writes something else|wants to send)/);
        }),
        { numRuns: 20 },
      );
  });
});

describe('a position', () => {
  const at = (line: string, symbol?: string) => positionIn(new TextDocument(line), { line: 1, symbol }, 'f').character;

  it('is where the symbol is: whole words first, then parts, then without regard to case', () => {
    expect(at('  indent')).toBe(2);
    expect(at('users user', 'user')).toBe(6);
    expect(at('users', 'user')).toBe(0);
    expect(at('a User', 'user')).toBe(2);
    expect(at('f(a, a, aa)', 'a#2')).toBe(5);
    expect(at('x#2 x', 'x#2')).toBe(0);
    expect(at('😀 name', 'name')).toBe(3);
    expect(at('')).toBe(0);
  });
});

describe('what is new', () => {
  const problem = (line: number, message: string): Diagnostic => ({
    range: { start: { line, character: 0 }, end: { line, character: 1 } },
    message,
  });
  const fresh = (before: string, old: Diagnostic[], after: string, now: Diagnostic[]) =>
    newDiagnostics({ text: before, items: old }, { text: after, items: now }).map(({ message }) => message);

  it('is nothing that only moved', () => {
    expect(fresh('a\nb\nc', [problem(2, 'x')], 'new\na\nb\nc', [problem(3, 'x')])).toEqual([]);
    expect(fresh('a\nb\nc', [problem(0, 'x'), problem(2, 'y')], 'a\nc', [problem(0, 'x'), problem(1, 'y')])).toEqual(
      [],
    );
    expect(
      fresh('1\na\n2\nb\n3', [problem(1, 'x'), problem(3, 'y')], '0\na\n5\n6\nb\n7', [
        problem(1, 'x'),
        problem(4, 'y'),
      ]),
    ).toEqual([]);
  });

  it('is not the same problem on a line that was edited', () => {
    expect(fresh('a\nb', [problem(1, 'x')], 'a\nB', [problem(1, 'x')])).toEqual([]);
  });

  it('is a second one of the same kind, and another one at the same place', () => {
    expect(fresh('a\nb', [problem(1, 'x')], 'a\nb\nc', [problem(1, 'x'), problem(2, 'x')])).toEqual(['x']);
    expect(fresh('a', [problem(0, 'x')], 'a', [problem(0, 'y')])).toEqual(['y']);
  });

  it('is everything that was put in, and nothing of what was there, for any insertion', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
        fc.nat(),
        fc.nat({ max: 5 }),
        (lines, place, count) => {
          const at = place % (lines.length + 1);
          const added = Array.from({ length: count }, (_, index) => `new ${index}`);
          const after = [...lines.slice(0, at), ...added, ...lines.slice(at)];
          const old = lines.map((line, index) => problem(index, line));
          const now = after.map((line, index) => problem(index, line));
          expect(fresh(lines.join('\n'), old, after.join('\n'), now)).toEqual(added);
        },
      ),
    );
  });
});

describe('the root of a project', () => {
  it('is the highest folder with a marker below the root of the repository', () => {
    const top = temporaryFolder('roots');
    mkdirSync(join(top, '.git'));
    putFiles(top, {
      'a/package.json': '{}',
      'a/b/tsconfig.json': '{}',
      'a/b/c/x.ts': '',
      'loose.ts': '',
      'cs/App.csproj': '',
      'cs/x.cs': '',
    });
    writeFileSync(join(top, 'go.mod'), '');
    const ts = {
      name: 'ts',
      data: { command: 'x', languages: { '.ts': 't' }, rootMarkers: ['tsconfig.json', 'package.json'] },
    };
    const linter = { name: 'lint', data: { ...ts.data, linter: true, needsMarker: true } };
    const cs = {
      name: 'cs',
      data: { command: 'x', languages: { '.cs': 'c' }, rootMarkers: ['*.csproj'], needsMarker: true },
    };
    const off = { name: 'off', data: { ...ts.data, enabled: false } };
    const roots = (file: string) =>
      serversForFile([linter, ts, cs, off], join(top, file), top).map(
        ({ name, root }) => `${name} ${root.slice(top.length)}`,
      );
    expect(roots('a/b/c/x.ts')).toEqual(['ts /a', 'lint /a']);
    expect(roots('loose.ts')).toEqual(['ts ']);
    expect(roots('cs/x.cs')).toEqual(['cs /cs']);
    expect(roots('../outside.ts')).toEqual([]);
    expect(workspaceTop(join(top, 'a/b'), '/nowhere')).toBe(top);
  });

  it('and the language come from the name alone', () => {
    const languages = { '.d.ts': 'declarations', '.ts': 'ts', Dockerfile: 'docker' };
    expect(languageOf({ languages }, '/x/a.d.ts')).toBe('declarations');
    expect(languageOf({ languages }, '/x/a.b.ts')).toBe('ts');
    expect(languageOf({ languages }, '/x/Dockerfile')).toBe('docker');
    expect(languageOf({ languages }, '/x/constructor')).toBeUndefined();
  });
});
