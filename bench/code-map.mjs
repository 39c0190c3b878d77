/**
 * The map of a generated tree of TypeScript files: the first build beside universal-ctags (which lists definitions and ranks nothing),
 * and the questions after it, when one file has changed. 50,000 files; 2,000 with --quick.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const WORDS =
  'scan parse index merge token buffer stream socket worker plan route cache frame query batch chunk signal event render layout'.split(
    ' ',
  );
const USES = 8;
const PARTS = 6;
/** What a question after a change may take. */
const TARGET_MS = 50;

/** @param {{ workDir: string, quick: boolean, log: (text: string) => void, load: (name: string, kind: string) => Promise<any> }} ctx */
export async function run({ workDir, quick, log, load }) {
  const count = quick ? 2_000 : 50_000;
  const root = join(workDir, `code-map-tree-${count}`);
  if (!existsSync(join(root, 'done'))) writeTree(root, count);
  const store = join(workDir, 'code-map-index');
  rmSync(store, { force: true });
  const maps = await load('code-map', 'native');
  const map = maps.open({ root, store });
  const timed = async (/** @type {() => Promise<any>} */ work) => {
    const started = performance.now();
    const answer = await work();
    return { ms: performance.now() - started, answer };
  };
  const first = await timed(() => map.map());
  log(`first build: ${Math.round(first.ms)} ms, ${JSON.stringify(first.answer.totals)}`);
  const ctags = ctagsMs(root);
  const file = join(root, fileOf(Math.floor(count / 2)));
  const text = readFileSync(file, 'utf8');
  /** @param {(at: number) => string} change */
  const afterChange = async (change) => {
    const times = [];
    for (let at = 0; at < 9; at += 1) {
      writeFileSync(file, change(at));
      const { ms, answer } = await timed(() => map.map());
      if (answer.update.read !== 1) throw new Error(`read ${answer.update.read} files by ${answer.update.by}`);
      times.push(ms);
    }
    return median(times);
  };
  const body = await afterChange((at) => `${text}// ${at}\n`);
  const definition = await afterChange((at) => `${text}export function freshName${at}() {}\n`);
  writeFileSync(file, text);
  await map.close();
  const again = maps.open({ root, store, watch: false });
  const loaded = await timed(() => again.map());
  const size = `${Math.round(first.answer.totals.memory / 1e6)} MB of index`;
  const build = ctags === undefined ? [] : [row(`first build (${size})`, first.ms, 'universal-ctags', ctags)];
  const rows = [
    ...build,
    row('a new process, index on disk', loaded.ms, 'first build', first.ms),
    { ...row('after a change in one file', body, 'limit', TARGET_MS), target: 1 },
    { ...row('after a new definition in one file', definition, 'limit', TARGET_MS), target: 1 },
  ];
  return { name: 'code-map', title: `The map of ${count} files`, unit: 'ms', rows };
}

/** @param {string} name @param {number} ours @param {string} peer @param {number} theirs */
function row(name, ours, peer, theirs) {
  return { case: name, ours, peers: { [peer]: theirs }, ratio: ours / theirs };
}

/** @param {string} root */
function ctagsMs(root) {
  const started = performance.now();
  const { status } = spawnSync('ctags', ['-R', '--languages=TypeScript', '-f', '/dev/null', root]);
  return status === 0 ? performance.now() - started : undefined;
}

/** @param {number[]} values */
function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

/** @param {number} at */
function fileOf(at) {
  const two = (/** @type {number} */ number) => String(number).padStart(3, '0');
  return `pkg${two(Math.floor(at / 500))}/mod${two(Math.floor(at / 25) % 20)}/file${at}.ts`;
}

/** @param {number} at @param {number} part */
function nameOf(at, part) {
  const word = WORDS[Math.floor(at / 20) % 20] ?? '';
  return `${WORDS[at % 20]}${word[0]?.toUpperCase()}${word.slice(1)}${at}Part${part}`;
}

/** A few files are used by many, the others by their neighbours. @param {string} root @param {number} count */
function writeTree(root, count) {
  let seed = 7;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let at = 0; at < count; at += 1) {
    const used = new Set();
    for (let use = 0; use < USES; use += 1) {
      const near = Math.max(0, at - 300) + Math.floor(random() * Math.min(at, 300));
      used.add(random() < 0.3 ? Math.min(count - 1, Math.floor(random() ** -1.6) - 1) : near);
    }
    const lines = [...used].map(
      (other) => `import { ${nameOf(other, 0)}, ${nameOf(other, 1)} } from '../file${other}';`,
    );
    lines.push(`export interface Options${at}Value { readonly size: number; readonly label: string }`);
    for (let part = 0; part < PARTS; part += 1) {
      lines.push(
        `export function ${nameOf(at, part)}(input: Options${at}Value, count = ${part}): number {`,
        '  let total = input.size + count;',
        ...[...used]
          .slice(0, 4)
          .map((other, k) => `  total += ${nameOf(other, (part + k) % 2)}({ size: total, label: 'x' });`),
        '  for (let step = 0; step < count; step += 1) if (total > 100) total -= step * 2;',
        '  return total;',
        '}',
      );
    }
    const path = join(root, fileOf(at));
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, `${lines.join('\n')}\n`);
  }
  writeFileSync(join(root, 'done'), '');
}
