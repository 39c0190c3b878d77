import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CliCommand } from '@tenon/command-line/api';
import { errors } from '../errors.ts';
import { placeOf } from '../pack-source.ts';
import { existingFolder, requireManifest } from './link.ts';
import { argument, type CommandParts } from './parts.ts';

/** `tenon plugin test`. */
export function testCommand(parts: CommandParts): CliCommand {
  return {
    async run(call) {
      const folder = existingFolder(resolve(call.cwd, argument(call, 'dir') || '.'));
      const manifest = await requireManifest(folder);
      const files = testFiles(folder);
      if (files.length === 0) throw errors.create('PACKS_NO_TESTS', { folder });
      const hosts = await parts.hosts();
      const { io, signal } = call;
      // Tests run with no more rights than computing: what the pack may do later was not granted to its tests.
      const pack = { manifest, folder, permissions: {} };
      return hosts.test(pack, placeOf(parts.folders), files, {
        out: (text) => io.out(text),
        err: (text) => io.err(text),
        signal,
        color: io.color,
      });
    },
  };
}

function testFiles(folder: string): string[] {
  try {
    return readdirSync(join(folder, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.test\.m?[jt]s$/.test(name))
      .sort()
      .map((name) => join('test', name));
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fault;
  }
}
