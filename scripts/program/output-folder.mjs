/**
 * Writes built modules to their folder. A running program may import one of its chunks long after it started. New chunks are
 * therefore written first, the entries are replaced last, and the chunks of the build before are kept.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const RECORD = 'modules.json';

/**
 * @typedef {{ files: string[], entries: Record<string, { bytes: number, imports: string[] }> }} Description
 * @param {string} output
 * @param {readonly { name: string, contents: string | Uint8Array }[]} files entries in the order in which they are replaced
 * @param {Description} description what the record says about them
 */
export function writeModules(output, files, description) {
  mkdirSync(join(output, 'chunks'), { recursive: true });
  const isChunk = ({ name }) => name.startsWith('chunks/');
  for (const { name, contents } of [...files.filter(isChunk), ...files.filter((file) => !isChunk(file))]) {
    writeAtomically(join(output, name), contents);
  }
  removeOldChunks(output, description.files);
  writeAtomically(join(output, RECORD), `${JSON.stringify(description, null, 2)}\n`);
}

/** The names of the modules, and what each entry loads with it; the rest waits for an import(). @returns {Description} */
export function describeModules({ outputs }, names) {
  const entries = names
    .filter((name) => !name.includes('/'))
    .map((name) => {
      const { bytes, imports } = outputs.get(name);
      const eager = imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
      return [basename(name, '.js'), { bytes, imports: eager.map(({ path }) => path) }];
    });
  return { files: [...names].sort(), entries: Object.fromEntries(entries) };
}

/** `docs://` reads the documentation beside the program where no repository surrounds it. */
export function copyDocs(root, output) {
  const folder = join(output, 'docs');
  rmSync(folder, { recursive: true, force: true });
  if (existsSync(join(root, 'docs'))) cpSync(join(root, 'docs'), folder, { recursive: true });
}

/** No reader ever sees half a file. @param {string} path @param {string | Uint8Array} contents */
export function writeAtomically(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

/** Keeps the chunks of this build and of the one before. */
function removeOldChunks(output, files) {
  const keep = new Set([...files, ...readPrevious(output)].map((file) => basename(file)));
  for (const name of readdirSync(join(output, 'chunks'))) {
    if (!keep.has(name)) rmSync(join(output, 'chunks', name), { force: true });
  }
}

function readPrevious(output) {
  try {
    return JSON.parse(readFileSync(join(output, RECORD), 'utf8')).files;
  } catch {
    return []; // The first build.
  }
}
