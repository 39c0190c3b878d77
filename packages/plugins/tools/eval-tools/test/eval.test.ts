/** Cells in real kernels: real python3 and real Node. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sessionShutdown } from '@tenon/agent/api';
import { inlineCandidate, pluginContract } from '@tenon/kernel/testing';
import { toolCall, type ToolResult } from '@tenon/tools/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '@tenon/test-kit/waiting';
import { surroundings } from '@tenon/test-kit/workbench';
import source from '../package.json' with { type: 'json' };
import type { EvalDetails } from '../src/api.ts';
import plugin from '../src/plugin.ts';
import { agentHooks, type EvalBench, openEvalBench, slots } from './support/eval-bench.ts';

let bench: EvalBench;
beforeAll(
  async () =>
    void (bench = await openEvalBench(
      {},
      {
        'notes.txt': 'b\na\nb\n',
        'lib.mjs': 'export const nine = 9; export default "d";',
        // Projects have such files, and the kernel must start beside them.
        'ast.py': 'raise RuntimeError("not this one")',
        'json.py': 'raise RuntimeError("not this one")',
        'shopping.py': 'items = 3',
      },
    )),
);
afterAll(() => bench.dispose());

/** A picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

describe('eval-tools', () => {
  it('keeps the plugin contract', async () => {
    const others = await surroundings(agentHooks, slots, 'sandbox');
    await pluginContract({ source, plugin, others });
  });
});

describe('Python cells', () => {
  it('keep variables, functions and imports, and sessions apart', async () => {
    expect(
      await bench.cells('*** Cell py:"define"\nimport math\nx = 2\ndef area(r): return round(math.pi * r * r, x)'),
    ).toBe('(no output)');
    expect(await bench.cells('*** Cell py\narea(1)')).toBe('3.14');
    expect((await bench.call('*** Cell py\nx', { session: 'other' })).text).toMatch(
      /NameError: name 'x' is not defined/,
    );
  });

  it('import files of the project, which do not get in the way of the kernel', async () => {
    expect(await bench.cells('*** Cell py\nimport shopping, ast\nprint(shopping.items)')).toBe('3');
  });

  it('show text in the order in which it was written, that of programs too', async () => {
    const code =
      'import os, sys, subprocess\nprint("one")\nos.system("echo two")\nprint("three", file=sys.stderr)\nsubprocess.run(["sh", "-c", "echo four >&2"])\nprint("fünf 🙂");';
    expect(await bench.cells(`*** Cell py\n${code}`)).toBe('one\ntwo\nthree\nfour\nfünf 🙂');
  });

  it('show JSON, Markdown, pictures and HTML', async () => {
    const { text, result, details } = await bench.call(
      `*** Cell py\nimport base64\ndisplay({"a": [1, None]})\ndisplay(Markdown("# Title"))\ndisplay(Image(base64.b64decode("${PIXEL}")))\ndisplay(HTML("<b>bold</b>"))\nclass Row:\n    def _repr_html_(self): return "<table><tr><td>7</td></tr></table>"\nRow()`,
    );
    expect(text).toMatch(/^\{"a": \[1, null\]\}\n# Title\n\*\*bold\*\*\n\| 7 \|\n<image\/png>$/);
    expect(details.jsonOutputs).toEqual([{ a: [1, null] }]);
    expect(details.images).toEqual([{ data: PIXEL, mimeType: 'image/png' }]);
    expect(details.cells[0]?.hasMarkdown).toBe(true);
    expect(result.content[1]).toEqual({ type: 'image', data: PIXEL, mimeType: 'image/png' });
  });

  it('draw figures where matplotlib is there, and need nothing where it is not', async () => {
    // A stand-in with the two functions that are used, because nothing may be required.
    const fake = `import sys, types, base64\nplt = types.ModuleType("matplotlib.pyplot")\nclass Figure:\n    def savefig(self, file, **kw): file.write(base64.b64decode("${PIXEL}"))\nopened = [1, 2]\nplt.get_fignums = lambda: list(opened)\nplt.figure = lambda n: Figure()\nplt.close = lambda what: opened.clear()\nsys.modules["matplotlib.pyplot"] = plt`;
    const { details, text } = await bench.call(`*** Cell py rst\n${fake}\n*** Cell py\n1`);
    expect(details.images).toHaveLength(2);
    expect(text).toContain('[2/2]\n1');
    await bench.cells('*** Cell py rst\npass');
  });

  it('fail with a traceback of their own lines, and the rest is not run', async () => {
    const { text, details, result } = await bench.call(
      '*** Cell py:"first"\nkept = 1\n*** Cell py:"second"\ndef f():\n    return 1 / 0\nf()\n*** Cell py\nprint("never")',
    );
    expect(text).toBe(
      `[1/3] first\n[2/3] second\nTraceback (most recent call last):\n  File "<cell 3>", line 3, in <module>\n    f()\n  File "<cell 3>", line 2, in f\n    return 1 / 0\n           ~~^~~\nZeroDivisionError: division by zero\n\nCell 2 of 3 ("second") failed with ZeroDivisionError. Later cells were not run; what earlier ones left is kept.`,
    );
    expect(result.isError).toBe(true);
    expect(details.cells.map(({ status, exitCode }) => [status, exitCode])).toEqual([
      ['complete', 0],
      ['error', 1],
      ['pending', undefined],
    ]);
    expect(await bench.cells('*** Cell py\nkept')).toBe('1');
  });

  it('await at the top, and keep their loop', async () => {
    expect(
      await bench.cells(
        '*** Cell py\nimport asyncio\nasync def later(v):\n    await asyncio.sleep(0.01)\n    return v\nawait later("now")',
      ),
    ).toBe("'now'");
    expect(
      await bench.cells(
        '*** Cell py\ntask = asyncio.ensure_future(later(5)) if False else None\nasync def both():\n    return await asyncio.gather(later(1), later(2))\nawait both()',
      ),
    ).toBe('[1, 2]');
  });

  it('know magics, and only where Python would not understand the line', async () => {
    expect(
      await bench.cells(
        '*** Cell py\ntext = """\n%pwd\n!ls\n"""\nwhere = %pwd\nlines = !printf "a\\nb"\n!echo shell\nprint(lines.n, where.endswith("project"), text.count("!"))',
      ),
    ).toBe('shell\na\nb True 1');
    expect(await bench.cells('*** Cell py\n%%bash\nfor i in 1 2; do echo $i; done')).toBe('1\n2');
    expect(await bench.cells('*** Cell py\n%%capture got\nprint("quiet")\n*** Cell py\ngot')).toBe(
      "[1/2]\n[2/2]\n'quiet\\n'",
    );
    expect(await bench.cells('*** Cell py\n%%writefile made.txt\nline\n*** Cell py\n%ls')).toContain("'made.txt'");
    expect(bench.get('made.txt')).toBe('line\n');
    expect((await bench.call('*** Cell py\n%nothing x')).text).toMatch(/UsageError: there is no %nothing here/);
    expect((await bench.call('*** Cell py\n%time sum(range(9))')).details.statusEvents).toMatchObject([{ op: 'time' }]);
    expect((await bench.call('*** Cell py\nif True\n  pass')).text).toMatch(/SyntaxError/);
  });

  it('have helpers for files, and say what these did', async () => {
    const { text, details } = await bench.call(
      '*** Cell py\nwrite("sub/w.txt", "one\\n")\nappend("sub/w.txt", "two\\n")\nprint(read("sub/w.txt", 2), end="")\nprint(counter(read("notes.txt")), sort(read("notes.txt"), unique=True), uniq(read("notes.txt")))\nprint(tree(".", 1))\nprint(diff("notes.txt", "sub/w.txt").count("+"))',
    );
    expect(text).toMatch(/^two\n\[\('b', 2\), \('a', 1\)\] \['a', 'b'\] \['b', 'a'\]\n\.\n {2}sub\/\n/);
    expect(details.statusEvents.slice(0, 3)).toEqual([
      { op: 'write', path: expect.stringMatching(/w\.txt$/), chars: 4 },
      { op: 'append', path: expect.stringMatching(/w\.txt$/), chars: 4 },
      { op: 'read', path: 'sub/w.txt', chars: 4 },
    ]);
  });

  it('cannot ask anybody', async () => {
    expect((await bench.call('*** Cell py\ninput("name? ")')).text).toMatch(/EOFError: nobody can answer/);
  });
});

describe('JavaScript cells', () => {
  it('keep what they declare with let, const, class and function, also when it is declared anew', async () => {
    expect(
      await bench.cells(
        '*** Cell js\nlet a = 1; const b = { n: 2 }; class C { get v() { return 3; } } function f() { return a + b.n; }',
      ),
    ).toBe('(no output)');
    expect(await bench.cells('*** Cell js\nconst b = { n: 40 }; a += 1; f() + new C().v')).toBe('45');
    expect((await bench.call('*** Cell js\na', { session: 'other' })).text).toMatch(/ReferenceError: a is not defined/);
  });

  it('await and import at the top, files of the project too', async () => {
    expect(
      await bench.cells(
        '*** Cell js\nimport d, { nine } from "./lib.mjs";\nimport * as path from "node:path";\nconst { sep } = await import("node:path");\n[d, nine, path.basename("/x/y"), sep, require("node:os").EOL]',
      ),
    ).toBe('["d",9,"y","/","\\n"]');
    expect(await bench.cells('*** Cell js\nawait new Promise((r) => setTimeout(r, 5)); nine')).toBe('9');
    expect(await bench.cells('*** Cell js\nif (nine) return "early"; "late"')).toBe('early');
  });

  it('show values, JSON, Markdown and pictures', async () => {
    const { text, details } = await bench.call(
      `*** Cell js\nconsole.log("%s is", "this", new Map([[1, 2]]));\ndisplay([1, { a: null }]);\ndisplay({ type: 'markdown', text: '**m**' });\ndisplay({ type: 'image', data: '${PIXEL}', mimeType: 'image/png' });\nprint(10n);\nnew Set([1])`,
    );
    expect(text).toBe('this is Map(1) { 1 => 2 }\n[1,{"a":null}]\n**m**\n10n\nSet(1) { 1 }\n<image/png>');
    expect(details.jsonOutputs).toEqual([[1, { a: null }]]);
    expect(details.images).toHaveLength(1);
  });

  it('fail with a stack of their own lines', async () => {
    const { text } = await bench.call('*** Cell js\nfunction g() {\n  throw new RangeError("bad");\n}\ng();');
    expect(text).toMatch(
      /^RangeError: bad\n {4}at g \(cell-\d+:2:9\)\n {4}at cell-\d+:4:1\n\nThe cell failed with RangeError\.$/,
    );
    expect((await bench.call('*** Cell js\nthrow { odd: 1 }')).text).toMatch(/^Uncaught \{ odd: 1 \}/);
    expect((await bench.call('*** Cell js\nlet = 5 +')).text).toMatch(/SyntaxError/);
  });

  it('survive what is thrown after they have ended, and show it with the next', async () => {
    await bench.cells(
      '*** Cell js\nsetTimeout(() => { throw new Error("later"); }, 5); Promise.reject(new Error("unseen")); 1',
    );
    await sleep(100);
    expect(await bench.cells('*** Cell js\n2')).toMatch(
      /\[Earlier cells wrote meanwhile:\][^]*unseen[^]*later[^]*\n2$/,
    );
  });

  it('have helpers for files', async () => {
    const { text, details } = await bench.call(
      '*** Cell js\nawait write("js.txt", "x\\ny\\nx\\n"); print(counter(await read("js.txt")), uniq(await read("js.txt")), (await tree(".", { depth: 1 })).includes("js.txt"))',
    );
    expect(text).toBe("[ [ 'x', 2 ], [ 'y', 1 ] ] [ 'x', 'y' ] true");
    expect(details.statusEvents[0]).toEqual({ op: 'write', path: 'js.txt', chars: 6 });
  });
});

describe('tools in cells', () => {
  it('answer with their text, and fail as errors of the language', async () => {
    expect(
      await bench.cells(
        '*** Cell py\nprint(tool.echo(word="a"))\ntry:\n    tool.fail()\nexcept ToolError as e:\n    print("caught", e)\ntry:\n    tool.gone()\nexcept ToolError as e:\n    print("gone" in str(e))',
      ),
    ).toBe('echo a\ncaught no such thing\nTrue');
    expect(
      await bench.cells(
        '*** Cell js\nprint(await tool.echo({ word: "b" })); try { await tool.fail({}) } catch (e) { print(e.name, e.message) }\nprint((await Promise.all([1, 2].map((n) => tool.echo({ word: String(n) })))).join())',
      ),
    ).toBe('echo b\nToolError no such thing\necho 1,echo 2');
    expect((await bench.call('*** Cell js\nawait tool.eval({ input: "1" })')).text).toMatch(/a cell cannot call eval/);
  });

  it('go through the gate', async () => {
    const gate = inlineCandidate(
      {
        id: 'gate',
        activate: (ctx) => void ctx.on(toolCall, ({ tool }) => (tool === 'echo' ? { deny: 'not today' } : undefined)),
      },
      { handles: ['tool.call'] },
    );
    bench.kernel.install(gate);
    expect((await bench.call('*** Cell py\ntool.echo(word="a")')).text).toMatch(
      /ToolError: .*refused by gate: not today/,
    );
    await bench.kernel.uninstall('gate');
  });

  it('do not use up the time of the cell that waits for them', async () => {
    expect(await bench.cells('*** Cell py t:1s\ntool.slow()')).toBe("'at last'");
  });
});

describe('stopping a cell', () => {
  const loops = [
    ['Python that computes', 'py', 'mark = 7', 'print("begun")\nwhile True: pass', 'mark'],
    ['Python that waits', 'py', 'mark = 7', 'import time\nprint("begun")\ntime.sleep(60)', 'mark'],
    [
      'Python that waits for a program',
      'py',
      'mark = 7',
      'import subprocess\nprint("begun", flush=True)\nsubprocess.run(["sleep", "60"])',
      'mark',
    ],
    ['Python that awaits', 'py', 'mark = 7', 'import asyncio\nprint("begun")\nawait asyncio.sleep(60)', 'mark'],
    ['JavaScript that computes', 'js', 'globalThis.mark = 7', 'print("begun"); while (true) {}', 'mark'],
    ['JavaScript that waits', 'js', 'globalThis.mark = 7', 'print("begun"); await new Promise(() => {})', 'mark'],
    [
      'JavaScript that computes after waiting',
      'js',
      'globalThis.mark = 7',
      'print("begun"); await null; await new Promise((r) => setTimeout(r, 20)); for (;;) {}',
      'mark',
    ],
  ] as const;
  for (const [what, language, before, code, after] of loops) {
    it(`keeps the kernel and its variables: ${what}`, async () => {
      const session = `stop-${what}`;
      await bench.cells(`*** Cell ${language}\n${before}`, session);
      const { text, details } = await bench.call(
        `*** Cell ${language} t:1s\n${code}\n*** Cell ${language}\nprint("never")`,
        { session },
      );
      expect(text).toMatch(/begun/);
      expect(text).toMatch(
        /timed out after 1 seconds\. The kernel and its variables are kept\. Later cells were not run/,
      );
      expect(details.cells.map(({ status }) => status)).toEqual(['error', 'pending']);
      expect(await bench.cells(`*** Cell ${language}\n${after}`, session)).toBe('7');
      await bench.kernel.run(sessionShutdown, { session, cwd: bench.root } as never);
    });
  }

  it('ends the kernel only when it does not let itself be stopped, and the next call says so', async () => {
    const code = 'import signal\ngone = 1\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass';
    const { text } = await bench.call(`*** Cell py t:1s\n${code}`, { session: 'stubborn' });
    expect(text).toMatch(
      /timed out after 1 seconds\. The kernel has ended \(it did not stop when it was interrupted\)/,
    );
    const next = await bench.call('*** Cell py\n"gone" in dir()', { session: 'stubborn' });
    expect(next.text).toMatch(
      /^False\n\n\[The python kernel is a new one: it did not stop[^]*Earlier variables are gone\.\]$/,
    );
  });

  it('follows a call that is cancelled', async () => {
    const stop = new AbortController();
    const begun = join(bench.root, 'begun');
    const code = `kept = 3\nimport time\nopen(${JSON.stringify(begun)}, "w").close()\ntime.sleep(60)`;
    const running = bench.run('eval', { input: `*** Cell py\n${code}` }, { session: 'cancel', signal: stop.signal });
    await until(() => existsSync(begun), 'the begin of the cell');
    stop.abort();
    await expect(running).rejects.toThrow();
    expect(await bench.cells('*** Cell py\nkept', 'cancel')).toBe('3');
  });

  it('that ends its own kernel is reported, and the next one gets a new kernel', async () => {
    const { text } = await bench.call('*** Cell js\nprint("bye"); process.exit(4)', { session: 'exit' });
    expect(text).toMatch(/^bye\n\nThe cell ended its kernel\. The kernel has ended \(it ended with exit code 4\)/);
    expect((await bench.call('*** Cell js\n1', { session: 'exit' })).text).toMatch(
      /^1\n\n\[The javascript kernel is a new one/,
    );
    const crash = await bench.call('*** Cell py\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)', {
      session: 'exit',
    });
    expect(crash.text).toMatch(/ended its kernel/);
    expect(
      (await bench.call('*** Cell py\nimport sys\nsys.exit(0)', { session: 'exit' })).result.isError,
    ).toBeUndefined();
  });
});

describe('a call', () => {
  it('with rst starts one language anew and leaves the other', async () => {
    await bench.cells('*** Cell py\na = 1\n*** Cell js\nglobalThis.a = 1', 'reset');
    const { text } = await bench.call('*** Cell py rst\n"a" in dir()\n*** Cell js\na', { session: 'reset' });
    expect(text).toBe('[1/2]\nFalse\n[2/2]\n1');
  });

  it('shows progress while it runs', async () => {
    const updates: ToolResult[] = [];
    await bench.run(
      'eval',
      { input: '*** Cell py\nimport time\nfor i in range(4):\n    print(i)\n    time.sleep(0.12)' },
      { updates },
    );
    const states = updates.map(({ details }) => (details as EvalDetails).cells[0]?.status);
    expect(states[0]).toBe('running');
    expect(states.at(-1)).toBe('complete');
    expect(updates.length).toBeGreaterThan(3);
  });

  it('keeps long output in a file and shows its end', async () => {
    const { text, details } = await bench.call('*** Cell py\nfor i in range(60000): print("line", i)');
    expect(Buffer.byteLength(text)).toBeLessThan(60_000);
    expect(text).toMatch(/line 59999\n\n\[Showing lines \d+-60000 of 60000 \(.*\)\. Full: artifact:\/\/\d+\]$/);
    const id = details.meta?.truncation.artifactId;
    expect(readFileSync(`${bench.home}/artifacts-one/${id}.log`, 'utf8').split('\n')).toHaveLength(60_001);
    expect(details.cells[0]?.output.length).toBeLessThan(5000);
  });

  it('survives a flood of output, junk bytes and a huge display', async () => {
    expect(
      (
        await bench.call(
          '*** Cell py\nimport os\nfor i in range(2000): os.write(1, b"x" * 50000)\nos.write(1, b"\\n\\xff\\x00\\x1b[31mred\\n")',
        )
      ).text,
    ).toMatch(/red/);
    expect((await bench.call('*** Cell py\ndisplay(JSON("x" * 30_000_000))')).text).toMatch(/larger than 12 MB/);
    expect((await bench.call('*** Cell py\nos.write(4, b"{not a message\\n")\n5')).text).toMatch(/5$/);
  });

  it('that is broken off says what ran', async () => {
    expect((await bench.call('*** Cell py\n1\n*** End\n*** Cell py\nx =\n*** Abort')).text).toMatch(
      /^1\n\n\[The call was broken off/,
    );
  });

  it('with a time out of range says which one was taken', async () => {
    expect((await bench.call('*** Cell py t:5000s\n1')).text).toBe(
      '1\n\n[Timeout set to 600s: 5000s is out of range.]',
    );
  });

  it('does not show keys of the environment', async () => {
    process.env['EVAL_DEMO_API_KEY'] = 'SECRET';
    expect(
      await bench.cells(
        '*** Cell py\nimport os\nos.environ.get("EVAL_DEMO_API_KEY"), "TENON_KERNEL_MARK" in os.environ',
        'env',
      ),
    ).toBe('(None, False)');
    expect(
      await bench.cells(
        '*** Cell js\n[process.env.EVAL_DEMO_API_KEY ?? null, process.env.TENON_KERNEL_MARK ?? null]',
        'env',
      ),
    ).toBe('[null,null]');
    delete process.env['EVAL_DEMO_API_KEY'];
  });
});
