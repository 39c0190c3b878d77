/**
 * The declarations of the SDK for programs outside of this repository. The compiler emits those of every package whose types the
 * SDK shows; here they are put side by side, and what they import from each other by package name becomes a relative path.
 */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';

import { runCommand } from '../setup/run-command.mjs';
import { pluginGroups, readJson } from '../workspace.mjs';
import { writeAtomically } from './output-folder.mjs';
import { SDK_ENTRIES, SDK_OUTPUT, sdkManifest } from './sdk-package.mjs';

const PROJECT = 'packages/sdk/tsconfig.types.json';
/** Without dependencies and without prompts: what the compiler writes is the whole package. */
const FAKES = 'packages/model-fakes';

/** As the compiler prints them: a statement at the beginning of a line, or a type in the middle of one. Comments speak of imports too. */
const IMPORTS = /(^(?:import|export) [^\n]*?\bfrom |^import |(?<!^\s*\/?\*.*)\bimport\()(['"])([^'"\n]+)\2/gm;

/** Writes packages/sdk/dist/types anew. @param {string} root */
export async function writeSdkTypes(root) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-types-'));
  try {
    await compile(root, 'the declarations of the SDK', ['-p', join(root, PROJECT), '--outDir', folder]);
    const entries = Object.values(SDK_ENTRIES).map((source) => source.replace(/\.ts$/, '.d.ts'));
    const files = collect(root, folder, entries);
    replaceFolder(join(root, SDK_OUTPUT, 'types'), files);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes packages/model-fakes/dist. @param {string} root */
export async function compileFakes(root) {
  // Mistakes are found by `npm pack` and by the types of the tests; set-up should not wait for that.
  await compile(root, FAKES, ['-p', join(root, FAKES), '--noCheck']);
}

async function compile(root, what, words) {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  const { code, output } = await runCommand(tsc, words, { cwd: root });
  if (code !== 0) throw new Error(`${what} could not be compiled:\n${output}`);
}

/** Follows the imports from the entries. @returns {Map<string, string>} path in the package -> text */
function collect(root, folder, entries) {
  const allowed = Object.keys(sdkManifest(root).dependencies);
  const declarations = new Map();
  for (const source of entries) visit(source);
  return declarations;

  function visit(source) {
    const name = packagedName(source);
    if (declarations.has(name)) return;
    declarations.set(name, '');
    const text = readFileSync(join(folder, source), 'utf8');
    const rewritten = text.replaceAll(IMPORTS, (whole, before, quote, specifier) => {
      if (specifier.startsWith('node:') || allowed.includes(specifier)) return whole;
      const target = specifier.startsWith('.')
        ? posix.join(posix.dirname(source), specifier.replace(/\.ts$/, '.d.ts'))
        : sourceOf(root, specifier);
      if (!target || !existsSync(join(folder, target))) {
        const advice = 'show another type, or list the package in scripts/program/sdk-package.mjs';
        throw new Error(`${source} shows a type of "${specifier}", which programs with the SDK do not have: ${advice}`);
      }
      visit(target);
      const path = posix.relative(posix.dirname(name), packagedName(target)).replace(/\.d\.ts$/, '.js');
      return `${before}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
    });
    declarations.set(name, rewritten);
  }
}

/** `packages/plugins/agent/agent/src/api.d.ts` is `agent/api.d.ts` in the package. */
function packagedName(source) {
  return source.replace(/^packages\/(?:plugins\/[^/]+\/)?([^/]+)\/src\//, '$1/');
}

/** Where the declarations of one of our packages are, as its package.json says. */
function sourceOf(root, specifier) {
  const [, name, path = ''] = /^(@tenon\/[^/]+)(\/.*)?$/.exec(specifier) ?? [];
  if (!name) return undefined;
  const folder = folderOf(root, name.slice('@tenon/'.length));
  const target = folder && readJson(join(root, folder, 'package.json')).exports?.[`.${path}`]?.['tenon-source'];
  return target && posix.join(folder, target.replace(/\.ts$/, '.d.ts'));
}

function folderOf(root, name) {
  const folders = [...pluginGroups(root).map((group) => `${group}/${name}`), `packages/${name}`, name];
  return folders.find((folder) => existsSync(join(root, folder, 'package.json')));
}

/** A compiler that runs meanwhile sees the old or the new declarations, never some of both. */
function replaceFolder(folder, files) {
  const fresh = `${folder}.${process.pid}.tmp`;
  for (const [name, text] of files) writeAtomically(join(fresh, name), text);
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
}
