#!/usr/bin/env node
/**
 * Writes native/src/generated.d.ts: the addon's exports as napi's own generator sees them. A test compares it with the
 * addon, so a change of the bindings shows in review. The macros write their part while the crate is checked; nothing is linked.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { generateTypeDef } from '@napi-rs/cli';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'native', 'src', 'generated.d.ts');
const folder = mkdtempSync(join(tmpdir(), 'tenon-types-'));
try {
  // The second variable makes the build script, and with it the crate, run again.
  const env = { ...process.env, NAPI_TYPE_DEF_TMP_FOLDER: folder, NAPI_FORCE_BUILD_TENON_NATIVE: String(Date.now()) };
  const { status } = spawnSync('cargo', ['check', '-p', 'tenon-native'], { cwd: root, env, stdio: 'inherit' });
  if (status !== 0 || readdirSync(folder).length === 0) {
    process.stderr.write('no types: the bindings do not compile; fix the errors above and run it again\n');
    process.exitCode = 1;
  } else {
    const { dts } = await generateTypeDef({ typeDefDir: folder, noDtsHeader: true, cwd: join(root, 'native') });
    writeFileSync(target, dts);
    process.stdout.write(`${target}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
