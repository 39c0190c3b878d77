/** Tries published packages as their users do: on a machine without Rust and without this checkout. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { allFiles, megabytes, put, sizeOf } from './files.mjs';
import { mustRun, pathWithout, run } from './run.mjs';
import { tryScreen, tryWeb } from './trial-modes.mjs';

/** What an installation of the program may take on disk. */
const MOST_BYTES = 60e6;
/** What the addon takes of it. */
const ADDON_BYTES = 32e6;

/**
 * @typedef {{ root: string, folder: string, config: string, version: string, archive: string, addon: boolean, say: (line: string) => void,
 *             check: (what: string, holds: boolean, more?: string) => void }} Trial
 */

/** An environment that knows nothing of this checkout. @param {Pick<Trial, 'folder' | 'config'>} trial */
export function plainEnvironment({ folder, config }) {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  return {
    PATH: `${join(folder, 'prefix/bin')}:${pathWithout(['cargo', 'rustc'])}`,
    HOME: home,
    npm_config_userconfig: config,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_update_notifier: 'false',
    // A model server on this machine would answer instead of the offline model.
    TENON_SET: 'providers.probeLocal=false',
  };
}

/** `npm install -g tenon-agent`, and what a person tries first. @param {Trial} trial */
export async function tryProgram(trial) {
  const { folder, root, version, addon, check, say } = trial;
  const prefix = join(folder, 'prefix');
  const env = plainEnvironment(trial);
  check(
    'there is no cargo on the PATH',
    (await run(['sh', '-c', 'command -v cargo'], { cwd: folder, env })).code !== 0,
  );
  await mustRun(['npm', 'install', '-g', '--prefix', prefix, `tenon-agent@${version}`], { cwd: folder, env });
  const installed = join(prefix, 'lib/node_modules');
  const bytes = sizeOf(installed) + (addon ? 0 : ADDON_BYTES);
  const counted = addon ? '' : ', with room for the addon, which is not there';
  check(`the installation takes less than ${megabytes(MOST_BYTES)}${counted}`, bytes < MOST_BYTES, megabytes(bytes));
  for (const line of largest(join(installed, 'tenon-agent'))) say(`    ${line}`);

  const work = join(folder, 'work');
  put(join(work, 'a.txt'), 'one TODO here\n');
  put(join(work, 'b.txt'), 'nothing\n');
  const tenon = (...words) => run(['tenon', ...words], { cwd: work, env });
  check('tenon --version', (await tenon('--version')).out === `tenon ${version}\n`);
  const first = await tenon('-p', firstPrompt(root));
  check(
    `tenon -p "${firstPrompt(root)}"`,
    first.code === 0 && first.out.includes('a.txt') && !first.out.includes('b.txt'),
    first.err + first.out,
  );
  const twins = await run(['tenon', '-p', firstPrompt(root)], {
    cwd: work,
    env: { ...env, TENON_ADDON: join(folder, 'none') },
  });
  check('the same on the twins', twins.code === 0 && twins.out.includes('a.txt'), twins.err + twins.out);

  for (const [what, ...words] of [
    ['the registry', `tenon-agent@${version}`],
    ['the archive', '--package', trial.archive, 'tenon'],
  ]) {
    const ran = await run(['npx', '--yes', ...words, '--version'], { cwd: work, env });
    check(`npx from ${what}`, ran.out === `tenon ${version}\n`, ran.err + ran.out);
  }
  await tryWithoutAddon(trial, work, env);

  const doctor = await tenon('doctor', '--json');
  const served = servedBy(doctor.out);
  const expected = addon ? 'native' : /^(?:js|wasm)$/;
  check(
    'doctor names what serves',
    Object.keys(served).length > 4 && Object.values(served).every((by) => by.match(expected)),
    JSON.stringify(served),
  );
  const history = await tenon('history');
  if (hasSqlite())
    check('the history of prompts, in the SQLite of Node.js', history.out.includes('TODO'), history.err + history.out);
  else
    check(
      'without SQLite the history says what to install',
      history.err.includes('npm install -g libsql'),
      history.err + history.out,
    );
  await tryScreen({ cwd: work, env, check }, firstPrompt(root), 'a.txt');
  await tryWeb({ cwd: work, env, check });
  await tryGrammars(trial, work, env);
  await tryPack(trial, tenon, work, env);
  await tryFiles(trial, prefix, env);
}

/** Where the addon's package did not come along, the twins serve, and doctor says what brings it. */
async function tryWithoutAddon({ folder, version, check }, work, env) {
  const prefix = join(folder, 'prefix-without');
  await mustRun(['npm', 'install', '-g', '--prefix', prefix, `tenon-agent@${version}`], { cwd: folder, env });
  // By hand: with `-g`, npm 11 installs optional packages in spite of `--omit=optional`.
  rmSync(join(prefix, 'lib/node_modules/tenon-agent/node_modules/@tenon'), { recursive: true, force: true });
  const tenon = (...words) => run([join(prefix, 'bin/tenon'), ...words], { cwd: work, env });
  const found = await tenon('find', 'a.txt');
  check('without the package of the addon the program works', found.out.includes('a.txt'), found.err + found.out);
  const doctor = await tenon('doctor', 'accelerators');
  check(
    'without the package of the addon, doctor says what brings it',
    doctor.out.includes('npm install -g --include=optional tenon-agent') && !doctor.out.includes('npm run setup'),
    doctor.out,
  );
}

/** Whether this Node.js brings SQLite. */
function hasSqlite() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 13);
}

/** What a folder consists of, largest first. */
function largest(folder) {
  const parts = new Map();
  for (const file of allFiles(folder)) {
    const words = file.split('/');
    const depth = words[0] === 'node_modules' ? (words[1].startsWith('@') ? 3 : 2) : words[0] === 'dist' ? 2 : 1;
    const part = words.slice(0, depth).join('/');
    parts.set(part, (parts.get(part) ?? 0) + statSync(join(folder, file)).size);
  }
  return [...parts]
    .sort(([, a], [, b]) => b - a)
    .filter(([, bytes]) => bytes > 200_000)
    .map(([part, bytes]) => `${megabytes(bytes).padStart(8)}  ${part}`);
}

/** The first command of the README that does something. @param {string} root */
function firstPrompt(root) {
  const [, prompt = ''] = /^(?:\.\/)?tenon -p "([^"]+)"/m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  if (prompt === '') throw new Error('the README has no `tenon -p "…"`');
  return prompt;
}

/** @param {string} json what `tenon doctor --json` wrote @returns {Record<string, string>} accelerator -> implementation */
export function servedBy(json) {
  const { checks } = JSON.parse(json);
  const { findings = [] } = checks.find(({ check }) => check === 'accelerators') ?? {};
  return Object.fromEntries(
    findings
      .filter(({ text }) => /^(?:native|wasm|js)\b/.test(text))
      .map(({ name, text }) => [name, text.split(/\W/)[0]]),
  );
}

/** Where no addon serves, structural search says which package it needs, and finds it as soon as it is there. */
async function tryGrammars({ folder, version, check }, work, env) {
  put(join(work, 'shop.js'), 'console.log(1);\n');
  const input = JSON.stringify({ pat: 'console.log($A)', paths: ['shop.js'] });
  const search = () =>
    run(['tenon', 'tool', 'run', 'ast_grep', '--input', input], {
      cwd: work,
      env: { ...env, TENON_ADDON: join(folder, 'none') },
    });
  const before = await search();
  check(
    'without grammars, structural search says what to install',
    `${before.out}${before.err}`.includes('install the npm package @tenon/grammars'),
    before.err + before.out,
  );
  const npm = (verb, name) =>
    mustRun(['npm', verb, '-g', '--prefix', join(folder, 'prefix'), name], { cwd: folder, env });
  await npm('install', `@tenon/grammars@${version}`);
  const after = await search();
  check('@tenon/grammars is found on first use', after.out.includes('console.log(1)'), after.err + after.out);
  await npm('uninstall', '@tenon/grammars');
}

/** A pack runs in a process and, where there is one, a sandbox of its own: from the ES modules of the package. */
async function tryPack({ check }, tenon, work, env) {
  const made = await tenon('plugin', 'new', 'greeter');
  check('tenon plugin new', made.code === 0, made.err);
  const tested = await tenon('plugin', 'test', 'greeter');
  check('tenon plugin test', tested.code === 0, tested.err + tested.out);
  const clone = (await run(['tenon', 'sandbox', 'status'], { cwd: work, env })).out;
  check('tenon sandbox status', /bubblewrap|bwrap|no sandbox|landlock/i.test(clone), clone);
}

/** Manual page, completion scripts, licences. */
async function tryFiles({ check, folder }, prefix, env) {
  const own = join(prefix, 'lib/node_modules/tenon-agent');
  const page = join(prefix, 'share/man/man1/tenon.1');
  check('npm links the manual page', existsSync(page) && realpathSync(page) === realpathSync(join(own, 'man/tenon.1')));
  for (const [shell, file] of [
    ['bash', 'tenon.bash'],
    ['zsh', '_tenon'],
    ['fish', 'tenon.fish'],
  ]) {
    const found = await run(['sh', '-c', `command -v ${shell}`], { cwd: folder, env });
    if (found.code !== 0) continue;
    const parsed = await run([shell, '-n', join(own, 'completions', file)], { cwd: folder, env });
    check(`the completion script parses in ${shell}`, parsed.code === 0, parsed.err);
  }
  const page3 = readFileSync(join(own, 'THIRD-PARTY.md'), 'utf8');
  const bundled = readdirSync(join(own, 'node_modules')).filter((name) => !/^[@.]/.test(name));
  check(
    'every bundled package is named in THIRD-PARTY.md',
    ['jiti', 'tinypool'].every((name) => bundled.includes(name) && page3.includes(`## ${name} `)),
  );
}

/** Programs and packs outside of the repository. @param {Trial} trial */
export async function tryAuthors(trial) {
  const { folder, root, check, version } = trial;
  const env = plainEnvironment(trial);
  const app = join(folder, 'app');
  const work = join(app, 'work');
  put(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }\n');
  for (const [name, text] of [
    ['list.md', '# Apples\n'],
    ['shop.mjs', 'export {};\n'],
    ['shop.env', 'KEY=1\n'],
  ])
    put(join(work, name), text);
  const wanted = ['sdk', 'kernel', 'pack-types', 'model-fakes'].map((name) => `@tenon/${name}@${version}`);
  await mustRun(['npm', 'install', '--ignore-scripts', '@types/node', ...wanted], { cwd: app, env });
  const examples = readdirSync(join(root, 'examples/sdk')).filter((name) => /\.(?:mjs|ts)$/.test(name));
  for (const name of examples) cpSync(join(root, 'examples/sdk', name), join(app, name));
  for (const name of examples.filter((file) => file.endsWith('.mjs'))) {
    const { code, err, out } = await run([process.execPath, join(app, name)], { cwd: work, env });
    check(`the example ${name} of the SDK`, code === 0 && out !== '', err);
  }
  writeFileSync(
    join(app, 'kit.ts'),
    `import { createKernel, definePlugin, slot } from '@tenon/kernel';
import { pluginContract } from '@tenon/kernel/testing';
export const names = slot<string>('names');
export const plugin = definePlugin({ id: 'kit', defines: [names], activate(ctx) { ctx.contribute(names, 'one', 'eins'); } });
// @ts-expect-error: types that say nothing would let this pass
definePlugin({ id: 7, activate() {} });
console.log(typeof createKernel, typeof pluginContract, plugin.id);
`,
  );
  const options = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    skipLibCheck: false,
    types: ['node'],
    outDir: 'built',
  };
  writeFileSync(
    join(app, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['typed.ts', 'kit.ts'] }),
  );
  const tsc = join(root, 'node_modules/.bin/tsc');
  const compiled = await run([tsc, '-p', app], { cwd: app, env });
  check('the SDK and the kernel type-check in a strict program', compiled.code === 0, compiled.out);
  const kit = await run([process.execPath, join(app, 'built/kit.js')], { cwd: app, env });
  check('the kernel runs without the rest', kit.out === 'function function kit\n', kit.err + kit.out);

  await mustRun(['tenon', 'plugin', 'new', 'outside'], { cwd: app, env });
  const pack = join(app, 'outside');
  await mustRun(['npm', 'install', '--ignore-scripts', '--no-save', '@types/node', `@tenon/pack-types@${version}`], {
    cwd: pack,
    env,
  });
  const checked = await run([tsc, '-p', pack], { cwd: pack, env });
  check('a new pack type-checks with @tenon/pack-types', checked.code === 0, checked.out);
}

/** From one version to the next, back, and away. @param {Trial} trial @param {string} next a version that is published too */
export async function tryUpdate(trial, next) {
  const { folder, version, check } = trial;
  const env = plainEnvironment(trial);
  const tenon = (...words) => run(['tenon', ...words], { cwd: folder, env });
  const shown = async () => (await tenon('--version')).out.trim();
  const looked = await tenon('update', '--check');
  check('tenon update --check', looked.out.includes(`${next} is available`), looked.err + looked.out);
  const updated = await tenon('update', '--yes');
  check(
    'tenon update shows the changes',
    updated.code === 0 && updated.out.includes(`## ${next}`),
    updated.err + updated.out,
  );
  check(`${next} is installed`, (await shown()) === `tenon ${next}`);
  const back = await tenon('update', '--rollback', '--yes');
  check('tenon update --rollback', back.code === 0 && (await shown()) === `tenon ${version}`, back.err + back.out);
  const worked = await tenon('tools', 'list');
  check('what was put back works', worked.code === 0 && worked.out.includes('grep'), worked.err);
  const gone = await tenon('uninstall', '--yes');
  // npm leaves the folder of a scope behind when its last package goes.
  const left = allFiles(join(folder, 'prefix/lib/node_modules')).filter((name) => name.includes('tenon'));
  check(
    'tenon uninstall',
    gone.code === 0 && left.length === 0 && !existsSync(join(folder, 'prefix/bin/tenon')),
    `${gone.err}${gone.out}${left}`,
  );
  check('the sessions are still there', existsSync(join(folder, 'home/.local/share/tenon')), gone.out);
}
