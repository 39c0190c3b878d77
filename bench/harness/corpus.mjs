/**
 * The tree that searches are measured on: what npm installs for a fixed list of packages, at least 50,000 files and
 * 500 MB. It is made once, in the git-ignored work folder; no package runs code while it is installed.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LEAST_FILES = 50_000;
const LEAST_BYTES = 500e6;
const STAMP = '.corpus.json';

/** Large, well-known packages of many kinds: code, types, icons, data. */
const PACKAGES = {
  '@angular/core': '19.2.0',
  '@mui/icons-material': '6.4.0',
  '@types/node': '20.19.0',
  antd: '5.24.0',
  'aws-sdk': '2.1692.0',
  'core-js': '3.40.0',
  'date-fns': '4.1.0',
  googleapis: '144.0.0',
  'lodash-es': '4.17.21',
  'monaco-editor': '0.52.2',
  next: '15.1.6',
  rxjs: '7.8.1',
  three: '0.173.0',
  typescript: '5.7.3',
  webpack: '5.97.1',
};

/** @param {string} folder @param {(line: string) => void} log */
export async function ensureCorpus(folder, log) {
  const packages = JSON.stringify(PACKAGES);
  const stamp = join(folder, STAMP);
  if (existsSync(stamp) && JSON.parse(readFileSync(stamp, 'utf8')).packages === packages) return;
  log(`making the corpus in ${folder}: this downloads about 150 MB, once`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'corpus', private: true, dependencies: PACKAGES }),
  );
  await npmInstall(folder);
  const { files, bytes } = measure(folder);
  log(`corpus: ${files} files, ${(bytes / 1e6).toFixed(0)} MB`);
  if (files < LEAST_FILES || bytes < LEAST_BYTES) {
    throw new Error(`the corpus has ${files} files and ${bytes} bytes; it needs ${LEAST_FILES} and ${LEAST_BYTES}`);
  }
  writeFileSync(stamp, JSON.stringify({ packages, files, bytes }));
}

/** How many files and bytes are below a folder. @param {string} folder */
function measure(folder) {
  let files = 0;
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    files += 1;
    bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return { files, bytes };
}

function npmInstall(folder) {
  const args = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--loglevel=error',
    '--legacy-peer-deps',
  ];
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(undefined) : reject(new Error(`npm install of the corpus ended with ${code}`)),
    );
  });
}
