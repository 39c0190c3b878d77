import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { CliCommand } from '@tenon/command-line/api';
import { errors } from '../errors.ts';
import { packFiles } from '../pack-template.ts';
import { argument } from './parts.ts';

/** `tenon plugin new`. */
export function newCommand(): CliCommand {
  return {
    async run(call) {
      const name = argument(call, 'name');
      if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 100)
        throw errors.create('PACKS_NAME_INVALID', { name });
      const { dir } = call.flags;
      const folder = resolve(call.cwd, typeof dir === 'string' ? dir : name);
      if (existsSync(folder) && readdirSync(folder).length > 0) throw errors.create('PACKS_FOLDER_TAKEN', { folder });
      for (const [path, text] of Object.entries(packFiles(name))) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      await call.io.out(
        `Wrote the pack "${name}" to ${folder}. Next:\n` +
          `  tenon plugin test ${folder}\n  tenon plugin link ${folder}\n  tenon ${name} World\n`,
      );
    },
  };
}
