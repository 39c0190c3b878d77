/**
 * Stands for libsql in the package of the program: libsql where the user has installed it, else the SQLite of Node.js, which 22.13 and
 * newer bring. The stores of Tenon use what both have: `exec`, `prepare` with `run`, `get` and `all`, and `close`.
 */
import { createRequire } from 'node:module';

import { errors } from '@tenon/installation/api';

const require = createRequire(import.meta.url);

export default installed() ?? builtIn();

function installed() {
  try {
    return require('libsql');
  } catch (fault) {
    // Installed and broken is another matter.
    if (fault.code !== 'MODULE_NOT_FOUND') throw fault;
    return undefined;
  }
}

function builtIn() {
  const { emitWarning } = process;
  // Node.js says that it is an experiment; the file format is not.
  process.emitWarning = () => {};
  try {
    return require('node:sqlite').DatabaseSync;
  } catch (fault) {
    throw errors.create('INSTALLATION_NO_SQLITE', { version: process.version }, fault);
  } finally {
    process.emitWarning = emitWarning;
  }
}
