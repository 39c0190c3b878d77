import { chmodSync, existsSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { TenonError } from '@tenon/kernel';
import { inlineCandidate } from '@tenon/kernel/testing';
import { loadAccelerator } from '@tenon/native';
import { caseCount } from '@tenon/test-kit/properties';
import { toolRunner } from '@tenon/tools/api';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type EditCall, type EditFile, type EditMode, editModes, editPreview, editTools } from '../src/api.ts';
import { builtinModes } from '../src/edit/modes.ts';
import { readPartialJson } from '../src/edit/partial-json.ts';
import { inputFor, type ModeName, MODES } from './edit-corpus/editor.ts';
import { lineChanges } from '../src/edit/line-changes.ts';
import { openWorkbench, textOf, type Workbench } from '@tenon/test-kit/workbench';

let bench: Workbench;
const open = async (mode: string, files: Record<string, string | Uint8Array>) =>
  (bench = await openWorkbench(['file-tools'], { files, settings: { 'file-tools': { edit: { mode } } } }));
afterEach(() => bench?.dispose());

const envelope = (...lines: string[]) => ({ input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });
const diff = (...lines: string[]) => ({ path: 'a.ts', edits: [{ diff: lines.join('\n') }] });

const CLASSES = 'class A {\n  run() {\n    go();\n  }\n}\n\nclass B {\n  run() {\n    go();\n  }\n}\n';

describe('editing by diffs', () => {
  it('places hunks by context, with and without numbers, and keeps line endings and the open end', async () => {
    await open('patch', { 'a.ts': 'one\r\ntwo\r\nthree\r\nfour' });
    await bench.ok('edit', diff('@@ -1,2 +1,3 @@', ' one', '-two', '+2', '+2.5', '@@', ' three', '-four', '+4'));
    expect(bench.get('a.ts')).toBe('one\r\n2\r\n2.5\r\nthree\r\n4');
  });

  it('reads the marker for a missing last line ending both ways', async () => {
    await open('patch', { 'a.ts': 'one\ntwo' });
    await bench.ok('edit', diff('@@', ' one', '-two', '\\ No newline at end of file', '+two'));
    expect(bench.get('a.ts')).toBe('one\ntwo\n');
    await bench.ok('edit', diff('@@', ' one', '-two', '+2', '\\ No newline at end of file'));
    expect(bench.get('a.ts')).toBe('one\n2');
  });

  it('uses the enclosing line to tell equal places apart, and refuses without it', async () => {
    await open('patch', { 'a.ts': CLASSES });
    expect(await bench.fails('edit', diff('@@', '   run() {', '-    go();', '+    stop();'))).toMatch(
      /fits 2 places \(lines 2, 8\).*enclosing line/,
    );
    await bench.ok('edit', diff('@@ class A {', '   run() {', '-    go();', '+    stop();'));
    await bench.ok('edit', diff('@@ class B', '@@ run() {', '-    go();', '+    wait();'));
    expect(bench.get('a.ts')).toBe(CLASSES.replace('go()', 'stop()').replace('go()', 'wait()'));
  });

  it.each(['patch', 'apply_patch'])('counts an empty line under the enclosing line as context (%s)', async (mode) => {
    const rows = ['@@ }', ' ', '+added();', ' }', '@@ class A {', '', '@@ run() {', '-    go();', '+    stop();'];
    await open(mode, { 'a.ts': '}\n\n}\nclass A {\n  run() {\n    go();\n' });
    await bench.ok('edit', mode === 'patch' ? diff(...rows) : envelope('*** Update File: a.ts', ...rows));
    expect(bench.get('a.ts')).toBe('}\n\nadded();\n}\nclass A {\n  run() {\n    stop();\n');
  });

  it('takes numbers of a header only for a file that was read', async () => {
    await open('patch', { 'a.ts': CLASSES });
    const input = diff('@@ -8,2 +8,2 @@', '   run() {', '-    go();', '+    stop();');
    expect(await bench.fails('edit', input)).toMatch(/fits 2 places/);
    await bench.ok('read', { path: 'a.ts' });
    await bench.ok('edit', input);
    expect(bench.get('a.ts').indexOf('stop')).toBeGreaterThan(bench.get('a.ts').indexOf('class B'));
  });

  it('forgives wrong outer context and indentation, and says how sure it is', async () => {
    await open('patch', { 'a.ts': 'head\nfirst line\nsecond line\nthird line\ntail\n' });
    expect(
      await bench.ok('edit', diff('@@', ' wrong', ' first line', '-second line', '+2nd line', ' third line')),
    ).toMatch(/Hunk 1 is not exact: it fits line 2 with 90% confidence \(some context lines differ\)/);
    bench.put('b.ts', 'f {\n\tfirst();\n\tsecond();\n}\n');
    const indented = { ...diff('@@', ' f {', '   first();', '-  second();', '+  third();'), path: 'b.ts' };
    expect(await bench.ok('edit', indented)).toMatch(/95% confidence/);
    expect(bench.get('b.ts')).toBe('f {\n\tfirst();\n\tthird();\n}\n');
  });

  it('creates, deletes and moves in one call, with modes and all or nothing', async () => {
    await open('patch', { 'a.ts': 'one\n', 'b.ts': 'two\n', 'old.sh': 'run\n' });
    chmodSync(bench.path('old.sh'), 0o755);
    const edits = [
      { op: 'create', path: 'new/c.ts', diff: '+x\n+\n+y\n' },
      { op: 'delete', path: 'b.ts' },
      { path: 'old.sh', rename: 'bin/new.sh', diff: '@@\n-run\n+walk\n' },
    ];
    expect(await bench.fails('edit', { path: 'a.ts', edits: [...edits, { diff: '@@\n-zzz\n+y\n' }] })).toMatch(
      /Hunk 1 of a\.ts was not found\. This line of it is not there: "zzz"/,
    );
    expect([existsSync(bench.path('new')), bench.get('b.ts'), bench.get('old.sh')]).toEqual([false, 'two\n', 'run\n']);
    const text = await bench.ok('edit', { path: 'a.ts', edits });
    expect(text).toMatch(/Created new\/c\.ts[\s\S]*Deleted b\.ts[\s\S]*Moved old\.sh to bin\/new\.sh/);
    expect(bench.get('new/c.ts')).toBe('x\n\ny\n');
    expect([existsSync(bench.path('b.ts')), existsSync(bench.path('old.sh'))]).toEqual([false, false]);
    expect(bench.get('bin/new.sh')).toBe('walk\n');
    expect(statSync(bench.path('bin/new.sh')).mode & 0o777).toBe(0o755);
  });

  it.each<[string, object, RegExp]>([
    ['a hunk without changes', diff('@@', ' one'), /no "\+" and no "-" line/],
    ['a line without a sign', diff('@@', '-one', 'two'), /must start with/],
    ['no hunk', diff(''), /no hunk/],
    ['a new file over an old one', { path: 'a.ts', edits: [{ op: 'create', diff: '+x' }] }, /exists already/],
    ['a new file without signs', { path: 'c.ts', edits: [{ op: 'create', diff: 'x' }] }, /must start with "\+"/],
    ['the deletion of nothing', { path: 'c.ts', edits: [{ op: 'delete' }] }, /no such file/],
    ['a move onto a file', { path: 'a.ts', edits: [{ rename: 'b.ts' }] }, /b\.ts exists already/],
    ['no change', diff('@@', '-one', '+one'), /no changes being made/],
  ])('refuses %s', async (_, input, message) => {
    await open('patch', { 'a.ts': 'one\n', 'b.ts': 'two\n' });
    expect(await bench.fails('edit', input as Record<string, unknown>)).toMatch(message);
    expect([bench.get('a.ts'), bench.get('b.ts')]).toEqual(['one\n', 'two\n']);
  });

  it('does not delete what has changed since it was read', async () => {
    await open('patch', { 'a.ts': 'one\n' });
    await bench.ok('read', { path: 'a.ts' });
    bench.put('a.ts', 'precious\n');
    expect(await bench.fails('edit', { path: 'a.ts', edits: [{ op: 'delete' }] })).toMatch(
      /has changed since it was read/,
    );
    expect(bench.get('a.ts')).toBe('precious\n');
  });
});

describe('editing by text', () => {
  it.each([
    ['a\nb\r\nc\n', 'a\nb\n', 'A\nb\n', 'A\nb\r\nc\n'],
    ['a\r\nb\nc\n', 'a\nb\n', 'a\nnew\nb\n', 'a\r\nnew\nb\nc\n'],
    ['a\nb\r\nc\r\nd\n', 'b\nc\nd\n', 'd\n', 'a\nd\n'],
    ['a\nb\r\nc\r\nd\n', 'a\nb\nc\nd\n', 'a\nB\nc\nD', 'a\nB\r\nc\r\nD'],
    ['a\nb\r\nc', 'a\nb\nc', 'a\nb\nc\nd', 'a\nb\r\nc\r\nd'],
    ['\n$&\r\nx\n', '\n$&\n', '\nnew\n$&\n', '\nnew\r\n$&\r\nx\n'],
  ])('leaves the endings of the lines that stay in %j', async (content, old_text, new_text, result) => {
    await open('replace', { 'a.ts': content });
    await bench.ok('edit', { path: 'a.ts', edits: [{ old_text, new_text }] });
    expect(bench.get('a.ts')).toBe(result);
  });
});

describe('editing by the patch envelope', () => {
  it('adds, updates, moves and deletes', async () => {
    await open('apply_patch', { 'a.ts': CLASSES, 'gone.ts': 'x\n' });
    await bench.ok(
      'edit',
      envelope(
        '*** Update File: a.ts',
        '*** Move to: b.ts',
        '@@ class B {',
        '   run() {',
        '-    go();',
        '+    stop();',
        '*** Add File: c/d.ts',
        '+export {};',
        '*** Delete File: gone.ts',
      ),
    );
    expect(bench.get('b.ts')).toMatch(/class A[\s\S]*go\(\)[\s\S]*class B[\s\S]*stop\(\)/);
    expect(bench.get('c/d.ts')).toBe('export {};\n');
    expect([existsSync(bench.path('a.ts')), existsSync(bench.path('gone.ts'))]).toEqual([false, false]);
  });

  it.each([
    // The first `a` has an empty line behind it, too, and Codex would take that one.
    ['a\nb\n\nc\na\n\nd\n', ['@@ a', '-', '+new']],
    // Codex takes the empty row for a line of the first hunk, and then puts the second one at the end.
    ['one\ntwo\nthree\n\n', [' one', '-two', ' three', '', '@@', '+new', ' ']],
    // An empty row before the first hunk is a hunk of its own to Codex, and takes the only empty line.
    ['\n', ['', '@@', '+new', ' ']],
  ])('refuses hunks that Codex would place elsewhere: %j', async (content, rows) => {
    await open('apply_patch', { 'a.ts': content });
    const text = await bench.fails('edit', envelope('*** Update File: a.ts', ...rows));
    expect(text).toMatch(/fits 2 places/);
    expect(bench.get('a.ts')).toBe(content);
  });

  it('ends lines as Codex does in a file that an earlier section of the patch has emptied', async () => {
    await open('apply_patch', { 'a.txt': 'one\r\n', 'b.txt': 'one\r\ntwo\r\n' });
    const section = (path: string, ...lines: string[]) => [`*** Update File: ${path}`, '@@', ...lines];
    await bench.ok('edit', envelope(...section('a.txt', '-one'), ...section('a.txt', '+new')));
    await bench.ok('edit', envelope(...section('b.txt', '-one'), ...section('b.txt', '+new')));
    expect([bench.get('a.txt'), bench.get('b.txt')]).toEqual(['new\n', 'two\r\nnew\r\n']);
  });

  it('ties a hunk to the end of the file', async () => {
    await open('apply_patch', { 'a.ts': 'x\ny\nx\ny\n' });
    await bench.ok('edit', envelope('*** Update File: a.ts', '@@', ' x', '-y', '+z', '*** End of File'));
    expect(bench.get('a.ts')).toBe('x\ny\nx\nz\n');
  });

  it('does without the first and last line, and with a fence around', async () => {
    await open('apply_patch', { 'a.ts': 'one\n' });
    await bench.ok('edit', { input: '```\n*** Update File: a.ts\n@@\n-one\n+two' });
    expect(bench.get('a.ts')).toBe('two\n');
  });

  it.each<[string, object, RegExp]>([
    ['text before the first file', { input: 'hello' }, /line 1: expected "\*\*\* Add File/],
    ['nothing', { input: '' }, /has no "\*\*\* Add File/],
    ['a header without a path', envelope('*** Add File:'), /names no file/],
    ['a move of a new file', envelope('*** Add File: b', '+x', '*** Move to: c'), /belongs right under/],
    ['text under a deletion', envelope('*** Delete File: a.ts', '-one'), /nothing may follow/],
    ['a bare line in a new file', envelope('*** Add File: b', 'x'), /line 3: every line of a new file/],
  ])('refuses %s', async (_, input, message) => {
    await open('apply_patch', { 'a.ts': 'one\n' });
    expect(await bench.fails('edit', input as Record<string, unknown>)).toMatch(message);
  });
});

describe('a file that was changed since it was read', () => {
  const change = async (mode: string, before: string, now: string, input: Record<string, unknown>) => {
    await open(mode, { 'a.ts': before });
    await bench.ok('read', { path: 'a.ts' });
    bench.put('a.ts', now);
    return bench.run('edit', input);
  };

  it('keeps the blanks at line ends of lines that an edit names and does not change', async () => {
    const before = 'a();\nsame();\nb();\nsame();\nc();\n';
    const now = 'a();\nsame();  \nb();\nsame();\nc();\n// more\n';
    const edits = [{ old_text: before, new_text: before.replace('a()', 'A()').replace('c()', 'C()') }];
    await change('replace', before, now, { path: 'a.ts', edits });
    expect(bench.get('a.ts')).toBe('A();\nsame();  \nb();\nsame();\nC();\n// more\n');
  });

  it('gives lines between unindented ones the indentation of the block that those were put into', async () => {
    const before = 'head();\nfirst();\nsecond();\ntail();\n';
    const now = 'head();\nif (ready) {\n  first();\n  second();\n}\ntail();\n';
    const edits = [{ old_text: 'first();\nsecond();\n', new_text: 'first();\nbetween();\nsecond();\n' }];
    const result = await change('replace', before, now, { path: 'a.ts', edits });
    const indented = now.replace('  second', '  between();\n  second');
    expect(bench.get('a.ts')).toBe(result.isError ? now : indented);
  });
});

describe('modes', () => {
  const shout: EditMode = {
    description: 'Makes a file loud.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    touches: ({ path }) => ({ writes: [String(path)] }),
    async plan(input, call) {
      const file = await call.file(String(input['path']));
      return {
        edits: [
          {
            file,
            after: Buffer.from(
              Buffer.from(file.content ?? [])
                .toString()
                .toUpperCase(),
            ),
          },
        ],
      };
    },
  };

  describe('that lie about the files they change', () => {
    const after = Buffer.from('lied\n');
    const before = Buffer.from('two\n');
    const file = (name: string, content: Buffer | undefined = before): EditFile => ({
      path: bench.path(name),
      shownPath: name,
      content,
      seen: [],
    });
    const lying = (plan: EditMode['plan']): EditMode => ({
      description: 'x',
      parameters: { type: 'object' },
      touches: () => ({ writes: ['a.ts'] }),
      plan,
    });
    const cases: [string, EditMode['plan']][] = [
      ['plan another file', async () => ({ edits: [{ file: file('b.ts'), after }] })],
      ['delete another file', async () => ({ edits: [{ file: file('b.ts'), after: undefined }] })],
      [
        'write the same file under another name',
        async () => ({ edits: [{ file: { ...file('a.ts'), path: `${bench.root}/./a.ts` }, after }] }),
      ],
      [
        'move the file elsewhere',
        async (_input, call) => ({
          edits: [{ file: await call.file('a.ts'), after, moveTo: { ...file('c.ts'), content: undefined } }],
        }),
      ],
      ['open another file', async (_input, call) => ({ edits: [{ file: await call.file('b.ts'), after }] })],
      ['show another file', async () => ({ edits: [], rows: ['x'], shown: [file('b.ts')] })],
      [
        'turn the declared file into a link',
        async (_input, call) => {
          const opened = await call.file('a.ts');
          rmSync(bench.path('a.ts'));
          symlinkSync(bench.path('b.ts'), bench.path('a.ts'));
          return { edits: [{ file: { ...opened, content: before }, after }] };
        },
      ],
      [
        'turn a folder above it into a link',
        async () => {
          rmSync(bench.path('in'), { recursive: true });
          symlinkSync(bench.root, bench.path('in'));
          return { edits: [{ file: file('in/b.ts'), after }] };
        },
      ],
    ];
    it.each(cases)('and %s are refused, and nothing is written', async (name, plan) => {
      await open('hashline', { 'a.ts': 'one\n', 'b.ts': 'two\n', 'in/b.ts': 'three\n' });
      const mode = name.includes('folder') ? { ...lying(plan), touches: () => ({ writes: ['in/b.ts'] }) } : lying(plan);
      bench.kernel.install(
        inlineCandidate(
          { id: 'lying', activate: (ctx) => void ctx.contribute(editModes, 'lying', mode) },
          { contributes: { 'edit-modes': { lying: { summary: 'x' } } } },
        ),
      );
      const runner = await bench.kernel.find(toolRunner);
      const tool = await (await bench.kernel.find(editTools)).tool('lying');
      const result = await runner.run('edit', {}, { tool });
      expect(result.details).toEqual({ error: { code: 'FILE_TOOLS_UNDECLARED' } });
      expect(bench.get('b.ts')).toBe('two\n');
      expect(existsSync(bench.path('c.ts'))).toBe(false);
    });

    it('or declare nothing are refused', async () => {
      await open('hashline', { 'a.ts': 'one\n' });
      const { touches: _touches, ...silent } = lying(async () => ({ edits: [] }));
      bench.kernel.install(
        inlineCandidate(
          { id: 'silent', activate: (ctx) => void ctx.contribute(editModes, 'silent', silent as EditMode) },
          { contributes: { 'edit-modes': { silent: { summary: 'x' } } } },
        ),
      );
      const runner = await bench.kernel.find(toolRunner);
      const tool = await (await bench.kernel.find(editTools)).tool('silent');
      expect((await runner.run('edit', {}, { tool })).details).toEqual({ error: { code: 'FILE_TOOLS_MODE_SILENT' } });
    });
  });

  it('can come from other plugins, and a mode that nobody has falls back with a warning', async () => {
    await open('hashline', { 'a.ts': 'one\n' });
    bench.kernel.install(
      inlineCandidate(
        { id: 'shouting', activate: (ctx) => void ctx.contribute(editModes, 'shout', shout) },
        { contributes: { 'edit-modes': { shout: { summary: 'LOUD' } } } },
      ),
    );
    const service = await bench.kernel.find(editTools);
    expect(service.mode).toBe('hashline');
    expect(
      service
        .modes()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...MODES, 'shout'].sort());
    const runner = await bench.kernel.find(toolRunner);
    const result = await runner.run('edit', { path: 'a.ts' }, { tool: await service.tool('shout') });
    expect(textOf(result)).toMatch(/\+1[a-z]{2}\|ONE/);
    expect(bench.get('a.ts')).toBe('ONE\n');
    await expect(service.tool('shuot')).rejects.toMatchObject({
      code: 'FILE_TOOLS_MODE_UNKNOWN',
      message: expect.stringContaining('shout'),
    });
    await bench.dispose();
    await open('nonsense', { 'a.ts': 'one\n' });
    await bench.ok('edit', { input: '@@ a.ts\n+ EOF\n~two\n' });
    expect(bench.kernel.diagnostics().map(({ error }) => error.code)).toContain('FILE_TOOLS_MODE_UNKNOWN');
  });

  it('keep their descriptions short', () => {
    const modes = builtinModes(() => loadAccelerator('hashline'));
    for (const [name, mode] of Object.entries(modes)) {
      const size = mode.description.length + JSON.stringify(mode.parameters).length;
      expect([name, size < 2600]).toEqual([name, true]);
    }
  });
});

describe('previews while arguments are written', () => {
  const content = 'alpha\nbeta\ngamma\ndelta\n';
  const edit = {
    id: 'x',
    source: { path: 'a.ts', language: 'x', text: content },
    kind: 'x',
    before: content.trimEnd().split('\n'),
    hunks: [{ start: 1, end: 2, lines: ['BETA', 'more'] }],
  };

  it.each(MODES)('show the diff so far and at the end what the call will do (%s)', async (mode) => {
    await open(mode, { 'a.ts': content });
    await bench.ok('read', { path: 'a.ts' });
    const service = await bench.kernel.find(editPreview);
    const input = inputFor(mode, edit, 'a.ts', await loadAccelerator('hashline'));
    const json = JSON.stringify(input);
    const scope = { session: 'one', cwd: bench.root };
    let early = 0;
    for (let length = 0; length < json.length; length++) {
      const { files } = await service.preview(json.slice(0, length), scope);
      if (files.some(({ added }) => added > 0)) early++;
    }
    expect(early).toBeGreaterThan(0);
    expect(await service.preview(json, scope)).toMatchObject({
      files: [{ path: 'a.ts', op: 'update', added: 2, removed: 1 }],
    });
    expect(bench.get('a.ts')).toBe(content);
    const result = await bench.run('edit', input);
    const { files } = await service.preview(json, { ...scope, session: 'unseen' });
    void files;
    expect((result.details as { diff: string }).diff).toContain('+BETA');
  });

  it('read JSON that is cut off anywhere', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, cut) => {
        expect(readPartialJson(json)).toEqual({ value: JSON.parse(json), isComplete: true });
        readPartialJson(json.slice(0, cut % (json.length + 1)));
      }),
    );
    expect(readPartialJson('{"a": ["x", {"b": "half \\u00e').value).toEqual({ a: ['x', { b: 'half ' }] });
    expect(readPartialJson('{"a": tru').value).toEqual({});
  });
});

describe('properties of all modes', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '',
      '}',
      '  }',
      '\t\treturn x;',
      'foo(bar)',
      '@@ a',
      '+ plus',
      '- minus',
      '~tilde',
      '*** End Patch',
      '// é 漢字 🙂',
      '<Esc>',
      '\\ No newline',
    ),
    fc.stringMatching(/^[ -~]{0,20}$/),
  );
  const file = fc.record({
    lines: fc.array(line, { minLength: 1, maxLength: 14 }),
    ending: fc.constantFrom('\n', '\r\n'),
    isOpen: fc.boolean(),
    hasMark: fc.boolean(),
    changes: fc.array(fc.tuple(fc.nat(20), fc.nat(3), fc.array(line, { maxLength: 3 })), {
      minLength: 1,
      maxLength: 2,
    }),
  });
  type RandomFile = typeof file extends fc.Arbitrary<infer T> ? T : never;

  const textFrom = ({ ending, isOpen, hasMark }: RandomFile, lines: readonly string[]) =>
    (hasMark ? '\uFEFF' : '') + lines.join(ending) + (isOpen || lines.length === 0 ? '' : ending);

  function changed({ lines, changes }: RandomFile): string[] {
    const after = [...lines];
    for (const [at, count, fresh] of changes) after.splice(at % (after.length + 1), count, ...fresh);
    return after;
  }

  /** The new text, or the refusal's code. */
  async function apply(
    mode: ModeName,
    input: Record<string, unknown>,
    content: string,
    modes: Readonly<Record<string, EditMode>>,
  ) {
    const bytes = Buffer.from(content);
    const only = { path: '/a.ts', shownPath: 'a.ts', content: bytes, seen: [bytes] };
    const call: EditCall = { session: 's', cwd: '/', file: async () => only, shown: () => {} };
    try {
      const plan = await modes[mode]?.plan(input, call);
      const after = plan?.edits[0]?.after;
      if (after === undefined) return { text: content };
      return { text: Buffer.concat(after instanceof Uint8Array ? [after] : [...after]).toString('utf8') };
    } catch (fault) {
      if (!(fault instanceof TenonError) || !fault.next) throw fault;
      return { refusal: fault.code };
    }
  }

  it.each(MODES)('%s makes of a file exactly what the edit says, or refuses', async (mode) => {
    const hashline = await loadAccelerator('hashline');
    const modes = builtinModes(async () => hashline);
    let exact = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(file, async (given) => {
        const after = changed(given);
        const hunks = lineChanges(given.lines, after);
        // A text whose last line is empty and open has no such line.
        const isOdd = given.isOpen && (given.lines.at(-1) === '' || after.at(-1) === '');
        // One open line shows no line ending that a new line could take.
        const isUnknown = given.isOpen && given.lines.length < 2;
        if (hunks.length === 0 || isOdd || isUnknown || after.length === 0) return;
        // Codex closes the last line, and so does the mode that takes its patches.
        const isOpen = given.isOpen && mode !== 'apply_patch';
        const [content, expected] = [textFrom(given, given.lines), textFrom({ ...given, isOpen }, after)];
        const edit = {
          id: 'r',
          source: { path: 'a.ts', language: '', text: content },
          kind: '',
          before: given.lines,
          hunks,
        };
        const outcome = await apply(mode, inputFor(mode, edit, 'a.ts', hashline), content, modes);
        if ('refusal' in outcome) {
          refused++;
          // Only text can stand in two places; lines named by anchor or number cannot.
          expect(outcome.refusal).toMatch(/REPEATED|NOT_FOUND|OVERLAP|PATCH/);
          expect(['replace', 'patch', 'apply_patch']).toContain(mode);
        } else {
          exact++;
          expect(outcome.text).toBe(expected);
        }
      }),
      { numRuns: caseCount(1500) },
    );
    expect(exact).toBeGreaterThan(refused * 3);
  });

  it.each(MODES)('%s refuses junk with an error that says what to do', async (mode) => {
    const hashline = await loadAccelerator('hashline');
    const modes = builtinModes(async () => hashline);
    const fragment = fc.oneof(
      line,
      fc.constantFrom(
        '@@',
        '@@ x',
        '@@ -1,2 +3,4 @@',
        '-a',
        '+b',
        ' c',
        '*** Begin Patch',
        '*** Update File: a.ts',
        '*** Add File: b',
        '*** Delete File: a.ts',
        '*** Move to: c',
        '*** End of File',
        '= 1aa..2bb',
        '+ 1aa',
        '< BOF',
        '- 3cc..1aa',
        '~x',
      ),
      fc.string({ maxLength: 12 }),
    );
    const text = fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join('\n'));
    await fc.assert(
      fc.asyncProperty(text, text, text, async (one, two, content) => {
        const inputs: Record<ModeName, Record<string, unknown>> = {
          hashline: { input: one },
          replace: { path: 'a.ts', edits: [{ old_text: one, new_text: two }] },
          patch: { path: 'a.ts', edits: [{ diff: one }, { diff: two, op: 'create' }] },
          apply_patch: { input: one },
          vim: { file: 'a.ts', steps: [{ kbd: [one], insert: two }] },
        };
        await apply(mode, inputs[mode], content, modes);
      }),
      { numRuns: caseCount(1500) },
    );
  });
});
