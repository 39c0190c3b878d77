/** The same small program for every debugger, and how each of them writes what the tests ask for. */
import { execFileSync } from 'node:child_process';
import { readableByDelve } from '../../src/adapters/go-debug-info.ts';
import { type DebugBench, works } from './debug-bench.ts';

/** A language with its debugger. */
export interface Language {
  readonly name: string;
  readonly adapter: string;
  /** Why it cannot be tested here. */
  readonly missing: string | undefined;
  readonly source: string;
  readonly text: string;
  /** Makes the program; gives its name. */
  build(bench: DebugBench): string | Promise<string>;
  readonly functionName: string;
  /** The line after the sum was made, in the function. */
  readonly returnLine: number;
  /** The line that calls the function. */
  readonly callLine: number;
  /** The line that prints the total. */
  readonly printLine: number;
  readonly condition: string;
  /** Evaluates to the sum. */
  readonly evaluation: { readonly expression: string; readonly result: RegExp };
  /** What the program prints when the total was changed to 1000 before it. */
  readonly changedOutput: RegExp;
  readonly output: RegExp;
  /** A program that runs for ever. */
  readonly endless: {
    readonly source: string;
    readonly text: string;
    build(bench: DebugBench): string | Promise<string>;
  };
}

const inFolder = (bench: DebugBench, program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: bench.root, stdio: 'pipe' });

/** Programs are built as Delve builds them. */
async function buildGo(bench: DebugBench, source: string, program: string): Promise<string> {
  const env = { ...process.env, ...(await readableByDelve('dlv', process.env)) };
  execFileSync('go', ['build', '-gcflags=all=-N -l', '-o', program, source], { cwd: bench.root, stdio: 'pipe', env });
  return program;
}

export const python: Language = {
  name: 'Python with debugpy',
  adapter: 'debugpy',
  missing: works('/usr/bin/python3', '-c', 'import debugpy') ? undefined : 'debugpy is not installed',
  source: 'a.py',
  text: `def add(a, b):
    result = a + b
    return result

total = 0
for i in range(5):
    total = add(total, i)
print("total", total)
`,
  build: () => 'a.py',
  functionName: 'add',
  returnLine: 3,
  callLine: 7,
  printLine: 8,
  condition: 'result == 6',
  evaluation: { expression: 'result * 7', result: /^(\(int\) )?42$/ },
  changedOutput: /total 1000/,
  output: /total 10/,
  endless: {
    source: 'loop.py',
    text: `import time\nprint('runs', flush=True)\nticks = 0\nwhile True:\n    ticks += 1\n    time.sleep(0.01)\n`,
    build: () => 'loop.py',
  },
};

export const native: Language = {
  name: 'C with LLDB',
  adapter: 'lldb-dap',
  missing: !works('gcc', '--version')
    ? 'gcc is not installed'
    : ['lldb-dap', 'lldb-vscode', 'lldb-vscode-14', 'lldb-vscode-15', 'lldb-dap-18', 'lldb-dap-19'].some((name) =>
          works('sh', '-c', `command -v ${name}`),
        )
      ? undefined
      : 'no DAP program of LLDB is installed',
  source: 'a.c',
  text: `#include <stdio.h>
int add(int a, int b) {
  int result = a + b;
  return result;
}
int main(void) {
  int total = 0;
  for (int i = 0; i < 5; i++) {
    total = add(total, i);
  }
  printf("total %d\\n", total);
  return 0;
}
`,
  build(bench) {
    inFolder(bench, 'gcc', '-g', '-O0', '-o', 'a.out', 'a.c');
    return 'a.out';
  },
  functionName: 'add',
  returnLine: 4,
  callLine: 9,
  printLine: 11,
  condition: 'result == 6',
  evaluation: { expression: 'result * 7', result: /42/ },
  changedOutput: /total 1000/,
  output: /total 10/,
  endless: {
    source: 'loop.c',
    text: `#include <unistd.h>\nlong ticks = 0;\nint main(void) {\n  for (;;) {\n    ticks++;\n    usleep(10000);\n  }\n}\n`,
    build(bench) {
      inFolder(bench, 'gcc', '-g', '-O0', '-o', 'loop.out', 'loop.c');
      return 'loop.out';
    },
  },
};

export const go: Language = {
  name: 'Go with Delve',
  adapter: 'dlv',
  missing: !works('dlv', 'version')
    ? 'Delve is not installed'
    : !works('go', 'version')
      ? 'Go is not installed'
      : undefined,
  source: 'a.go',
  text: `package main

import "fmt"

func add(a int, b int) int {
	result := a + b
	return result
}

func main() {
	total := 0
	for i := 0; i < 5; i++ {
		total = add(total, i)
	}
	fmt.Println("total", total)
}
`,
  build: (bench) => buildGo(bench, 'a.go', 'a.out'),
  functionName: 'main.add',
  returnLine: 7,
  callLine: 13,
  printLine: 15,
  condition: 'result == 6',
  evaluation: { expression: 'result * 7', result: /42/ },
  changedOutput: /total 1000/,
  output: /total 10/,
  endless: {
    source: 'loop.go',
    text: `package main\n\nimport "time"\n\nvar ticks = 0\n\nfunc main() {\n\tfor {\n\t\tticks++\n\t\ttime.Sleep(10 * time.Millisecond)\n\t}\n}\n`,
    build: (bench) => buildGo(bench, 'loop.go', 'loop.out'),
  },
};

export const node: Language = {
  name: "JavaScript with Node's inspector",
  adapter: 'node',
  missing: undefined,
  source: 'a.cjs',
  text: `function add(a, b) {
  const result = a + b;
  return result;
}
let total = 0;
for (let i = 0; i < 5; i++) {
  total = add(total, i);
}
console.log('total', total);
`,
  build: () => 'a.cjs',
  functionName: 'add',
  returnLine: 3,
  callLine: 7,
  printLine: 9,
  condition: 'result === 6',
  evaluation: { expression: 'result * 7', result: /^(\(number\) )?42$/ },
  changedOutput: /total 1000/,
  output: /total 10/,
  endless: {
    source: 'loop.cjs',
    text: `let ticks = 0;\nsetInterval(() => {\n  ticks++;\n}, 10);\n`,
    build: () => 'loop.cjs',
  },
};
