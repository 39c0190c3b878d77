/**
 * Structural search over about 1,200 TypeScript files: ours beside @ast-grep/napi and our WASM twin.
 *
 * Every measurement is a process of its own, so that the peak memory is that of one engine and one question. The time
 * is that of the search alone: start-up and loading are not in it. All engines return text, position and captures.
 *
 * A bare Node process holds about 42 MB, more than a fifth of what some searches of the peer peak at. So there are two tables of
 * memory: the peak of the whole process, and what the search adds to the process while it waits, after it has parsed an ordinary file and
 * answered the same question about a small one, so that the code and the grammar are loaded.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SELF = fileURLToPath(import.meta.url);
const ROOT = dirname(dirname(SELF));
const FILES = 1_200;
const ORDINARY_BYTES = 16 * 1024;

/** Questions that every file answers, that some do, and with a name that most files lack. */
const RULES = {
  'every import': { kind: 'import_statement' },
  'every interface': { pattern: 'export interface $N { $$$ }' },
  'every call': { pattern: '$F($$$)' },
  'a named call': { pattern: 'addEventListener($$$)' },
  'no match': { pattern: 'thisNameIsNowhere($A)' },
};

/** Answers with three results: times, peak memory, and added memory. @param {{ corpusDir: string, workDir: string, quick: boolean, log: (text: string) => void }} ctx */
export async function run(ctx) {
  mkdirSync(ctx.workDir, { recursive: true });
  const list = join(ctx.workDir, 'syntax-files.json');
  const files = typescriptFiles(ctx.corpusDir);
  writeFileSync(list, JSON.stringify(files));
  // Read once, so that everyone finds the files in the page cache.
  for (const file of files) readFileSync(file);
  const module = await buildAccelerators(ctx.workDir);
  const rounds = ctx.quick ? 1 : 5;
  const times = [];
  const memory = [];
  const added = [];
  for (const [name, rule] of Object.entries(RULES)) {
    const engines = ['native', 'ast-grep', ...(ctx.quick ? [] : ['wasm'])];
    const samples = Object.fromEntries(engines.map((engine) => [engine, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const engine of engines) {
        if (engine === 'wasm' && round > 0) continue; // Tens of times slower: one sample shows it.
        samples[engine].push(ask(engine, JSON.stringify(rule), list, module));
      }
    }
    const matchesOf = (engine) => samples[engine][0].matches;
    ctx.log(`${name}: ${engines.map((engine) => `${engine} ${matchesOf(engine)} matches`).join(', ')}`);
    const middle = (engine, key) => median(samples[engine].map((sample) => sample[key]));
    for (const [rows, key, target] of [
      [times, 'ms', 0.8],
      [memory, 'megabytes', 0.2],
      [added, 'added', 0.2],
    ]) {
      const peers = Object.fromEntries(engines.slice(1).map((engine) => [label(engine), middle(engine, key)]));
      const ours = middle('native', key);
      const ratio = ours / peers[label('ast-grep')];
      rows.push({ case: `${name}: ${rule.pattern ?? rule.kind}`, ours, peers, ratio, target });
    }
  }
  const about = `${files.length} TypeScript files, ${(bytes(files) / 1e6).toFixed(0)} MB`;
  return [
    { name: 'syntax-search', title: `Structural search, ${about}`, unit: 'ms', rows: times },
    { name: 'syntax-memory', title: `Peak memory of a structural search, ${about}`, unit: 'MB', rows: memory },
    {
      name: 'syntax-memory-added',
      title: `Memory that a structural search adds to an idle process, ${about}`,
      unit: 'MB',
      rows: added,
    },
  ];
}

function label(engine) {
  return engine === 'ast-grep' ? '@ast-grep/napi' : 'our WASM twin';
}

/** Evenly spread over the corpus, so that no package dominates. */
function typescriptFiles(folder) {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const { size } = statSync(path);
      return size > 1_000 && size < 300_000;
    })
    .sort();
  const step = Math.max(1, all.length / FILES);
  return Array.from({ length: Math.min(FILES, all.length) }, (_, at) => all[Math.floor(at * step)]);
}

function bytes(files) {
  return files.reduce((sum, path) => sum + statSync(path).size, 0);
}

function median(values) {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)];
}

async function buildAccelerators(folder) {
  const { build } = await import('esbuild');
  const outfile = join(folder, 'syntax-accelerators.mjs');
  await build({
    stdin: { contents: "export { loadAccelerator } from './native/src/index.ts';", resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    outfile,
    format: 'esm',
    platform: 'node',
    conditions: ['tenon-source'],
    external: ['web-tree-sitter', '@lydell/node-pty', 'tinypool', '@tenon/native-*'],
    banner: { js: "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);" },
    logLevel: 'silent',
  });
  return outfile;
}

function ask(engine, rule, list, module) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', SELF, engine, rule, list, module], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`${engine} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

/** One measurement, in a process of its own. */
async function child([engine, ruleText, list, module]) {
  const rule = JSON.parse(ruleText);
  const files = JSON.parse(readFileSync(list, 'utf8'));
  const asking = (rule) => (engine === 'ast-grep' ? astGrep(rule) : ours(engine, rule, module));
  const ask = await asking(rule);
  const work = () => ask(files);
  const smallest = files.reduce((least, file) => (statSync(file).size < statSync(least).size ? file : least));
  // Ours does not parse a file that cannot match, and would have no grammar yet.
  const every = await asking({ kind: 'program' });
  await every([files.find((file) => statSync(file).size > ORDINARY_BYTES)]);
  await ask([smallest]);
  globalThis.gc?.();
  const loaded = memory('VmHWM');
  const idle = forgetPeak();
  const before = process.cpuUsage();
  const started = performance.now();
  const matches = await work();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  const peak = memory('VmHWM');
  const megabytes = Math.max(peak, loaded);
  const answer = { ms, matches, cpu: (user + system) / 1000, megabytes, idle, added: peak - idle };
  process.stdout.write(JSON.stringify(answer));
}

/** From here on the peak is that of what follows; gives what the process holds now. */
function forgetPeak() {
  if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5');
  return memory('VmRSS');
}

/** Megabytes by the kernel's account of this process; `maxRSS` would include the parent that started it. */
function memory(name) {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS / 1024;
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024;
}

async function ours(kind, rule, module) {
  const { loadAccelerator } = await import(pathToFileURL(module).href);
  const syntax = await loadAccelerator('syntax', kind);
  return async (files) => {
    const options = { sources: files, rules: [rule], language: 'typescript', limit: 10_000_000 };
    return (await syntax.search(options)).matches.length;
  };
}

async function astGrep(rule) {
  const { findInFiles, Lang } = await import('@ast-grep/napi');
  return (files) =>
    new Promise((resolve, reject) => {
      const results = [];
      let answers = 0;
      let total;
      const settle = () => {
        if (answers === total) resolve(results.length);
      };
      const collect = (error, nodes) => {
        if (error) return reject(error);
        for (const node of nodes) results.push({ text: node.text(), range: node.range() });
        answers += 1;
        settle();
      };
      const matcher = { rule };
      findInFiles(Lang.TypeScript, { paths: files, matcher, languageGlobs: ['*.ts', '*.mts', '*.cts'] }, collect).then(
        (count) => {
          total = count;
          settle();
        },
        reject,
      );
    });
}

if (process.argv[1] === SELF && process.argv.length > 2) await child(process.argv.slice(2));
