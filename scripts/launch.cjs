/**
 * What `./tenon` starts. Programs ask for the version all the time: once the program is there, that question is answered from
 * the manifest, which the program has it from as well, without Node's loader of ES modules and without a look at all sources.
 * Everything else goes on in launch.mjs.
 */
'use strict';
const { existsSync, readFileSync, writeSync } = require('node:fs');

const cli = `${__dirname}/../packages/cli`;

function answered([word, ...others]) {
  if ((word !== '--version' && word !== '-V') || others.length > 0 || !existsSync(`${cli}/dist/main.js`)) return false;
  try {
    writeSync(1, `tenon ${JSON.parse(readFileSync(`${cli}/package.json`, 'utf8')).version}\n`);
    return true;
  } catch {
    return false; // The program says what is wrong: a full disk, a closed pipe.
  }
}

if (!answered(process.argv.slice(2))) import('./launch.mjs');
