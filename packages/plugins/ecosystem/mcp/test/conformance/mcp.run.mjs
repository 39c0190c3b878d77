#!/usr/bin/env node
/**
 * Runs the official MCP conformance suite against Tenon's client and server. What may fail is listed in expected-failures.yml; an
 * entry that passes is a failure too, so that the list only shrinks.
 *
 *   node packages/plugins/ecosystem/mcp/test/conformance/mcp.run.mjs [client | server] [--scenario NAME] [--timeout MINUTES]
 *
 * The suite needs a current Node. Where this one is older, npm's package with the program is fetched once, into node_modules/.cache.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '../../../../../..');
const SUITE = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js');
const EXPECTED = join(HERE, 'expected-failures.yml');
const NODE_VERSION = '24.9.0';
const OLDEST_NODE = 22;
/** Scenarios of the client that run at the same time; some measure time, and a machine that is too busy would fail them. */
const AT_ONCE = 2;

const words = process.argv.slice(2);
const valueOf = (flag) => (words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined);
const scenario = valueOf('--scenario');
const minutes = Number(valueOf('--timeout') ?? 10);
const sides = ['client', 'server'].filter(
  (side) => !words.some((word) => ['client', 'server'].includes(word)) || words.includes(side),
);

const say = (text) => process.stdout.write(`${text}\n`);

/** A Node that the suite runs on. */
function currentNode() {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return process.execPath;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = join(ROOT, 'node_modules/.cache/conformance-node', NODE_VERSION);
  const program = join(folder, 'node_modules', name, 'bin', 'node');
  if (existsSync(program)) return program;
  say(`Fetching ${name} ${NODE_VERSION} …`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const args = [
    'install',
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    `${name}@${NODE_VERSION}`,
  ];
  const { status } = spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder });
  if (status !== 0 || !existsSync(program)) throw new Error(`${name} ${NODE_VERSION} could not be installed`);
  return program;
}

/** Builds one of the programs under test, from source. */
async function buildProgram(name, folder) {
  const { build } = await import('esbuild');
  const { EXTERNAL } = await import(join(ROOT, 'scripts/build-program.mjs'));
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(HERE, `${name}.ts`)],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    conditions: ['tenon-source'],
    external: EXTERNAL,
    loader: { '.md': 'text', '.py': 'text', '.text': 'text' },
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return outfile;
}

const deadline = Date.now() + minutes * 60_000;

/** Runs the suite; what it said, and whether it is content. Too long is a failure. */
function runSuite(node, args) {
  return new Promise((resolve) => {
    const child = spawn(node, [SUITE, ...args], { stdio: ['ignore', 'pipe', 'pipe'], cwd: tmpdir() });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    const timer = setTimeout(
      () => {
        output += `\nIt took longer than ${minutes} minutes.`;
        child.kill('SIGKILL');
      },
      Math.max(0, deadline - Date.now()),
    );
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ passed: code === 0, output });
    });
  });
}

/** Each scenario by itself: the suite would start all of them at once. */
async function testClient(node, folder) {
  const program = await buildProgram('client', folder);
  const { output } = await runSuite(node, ['list', '--client']);
  const all = [...output.matchAll(/^ +- (\S+) \[/gm)].map(([, name]) => name);
  const names = scenario ? [scenario] : all;
  if (names.length === 0) throw new Error(`the suite lists no scenarios:\n${output}`);
  const expected = new Set(parse(readFileSync(EXPECTED, 'utf8')).client ?? []);
  const command = `${process.execPath} ${program}`;
  const run = (name) => runSuite(node, ['client', '--command', command, '--scenario', name, '--timeout', '60000']);
  const waiting = [...names];
  let content = true;
  let passed = 0;
  const worker = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      let result = await run(name);
      // Once more: a busy machine is not a fault of the client.
      if (!result.passed && !expected.has(name)) result = await run(name);
      const isRight = result.passed !== expected.has(name);
      content &&= isRight;
      passed += Number(result.passed);
      const verdict = result.passed
        ? isRight
          ? 'ok'
          : 'PASSES, take it off the list'
        : isRight
          ? 'fails, as expected'
          : 'FAILS';
      say(`${name}: ${verdict}`);
      if (scenario || (!result.passed && !isRight)) say(result.output);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  record('client', names.length, passed, names.filter((name) => expected.has(name)).length);
  const gone = [...expected].filter((name) => !all.includes(name));
  if (gone.length > 0 && !scenario) say(`The suite has no such scenarios any more: ${gone.join(', ')}`);
  return content && (gone.length === 0 || scenario !== undefined);
}

/** Leaves the counts of a whole side for `npm run conformance`: a scenario on the list of expected failures counts as refused. */
function record(side, cases, passed, expected) {
  const folder = process.env['TENON_CONFORMANCE_FOLDER'];
  if (folder === undefined || scenario !== undefined) return;
  const { version } = JSON.parse(readFileSync(join(dirname(SUITE), '../package.json'), 'utf8'));
  const count = {
    suite: `MCP ${side}: scenarios`,
    oracle: `@modelcontextprotocol/conformance ${version}`,
    cases,
    same: passed,
    refused: expected,
    different: cases - passed - expected,
  };
  writeFileSync(join(folder, `mcp-${side}.json`), JSON.stringify(count));
}

async function testServer(node, folder) {
  const program = await buildProgram('server', folder);
  const server = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const [url] = await Promise.race([
      once(createInterface({ input: server.stdout }), 'line'),
      new Promise((_, reject) =>
        server.once('exit', (code) => reject(new Error(`the server ended with exit code ${code}`))),
      ),
    ]);
    const choice = scenario ? ['--scenario', scenario] : ['--suite', 'active', '--expected-failures', EXPECTED];
    const { passed, output } = await runSuite(node, ['server', '--url', url, ...choice]);
    say(scenario ? output : output.slice(Math.max(0, output.indexOf('=== SUMMARY ==='))));
    const verdicts = [...output.matchAll(/^([✓✗]) \S+: \d+ passed/gmu)].map(([, sign]) => sign);
    const expected = [...output.matchAll(/^ {2}~ \S+$/gm)].length;
    record('server', verdicts.length, verdicts.filter((sign) => sign === '✓').length, expected);
    return passed;
  } finally {
    server.stdin.end();
  }
}

// Inside the repository: what stays outside of the program is found from there.
mkdirSync(join(ROOT, 'node_modules/.cache'), { recursive: true });
const folder = mkdtempSync(join(ROOT, 'node_modules/.cache', 'conformance-'));
let failed = false;
try {
  const node = currentNode();
  for (const side of sides) {
    say(`\n== MCP conformance of the ${side} ==`);
    const passed = await (side === 'client' ? testClient : testServer)(node, folder);
    failed ||= !passed;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
