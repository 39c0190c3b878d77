import { appendFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@tenon/kernel';
import type { LogRecord, LogSink } from '@tenon/log';
import { makeFoldersSync } from '@tenon/state-files';

const CURRENT = 'tenon.jsonl';
const MAX_BYTES = 5_000_000;
const FILES = 5;

/** Where the log goes and how much of it is kept. */
export interface LogFileOptions {
  readonly folder: string;
  readonly maxBytes?: number;
  readonly files?: number;
  /** Called once when records cannot be written; the program goes on. */
  onFault(message: string): void;
}

/**
 * Writes records as JSON lines. Several processes may write to the same file: each line is one append, and a full
 * file is moved to a name of its own, which only one process can succeed in.
 */
export function createLogFile({ folder, maxBytes = MAX_BYTES, files = FILES, onFault }: LogFileOptions): LogSink {
  const file = join(folder, CURRENT);
  let isReady = false;
  let isBroken = false;
  return (record) => {
    if (isBroken) return;
    try {
      if (!isReady) makeFoldersSync(folder, 0o700);
      isReady = true;
      rotate(folder, file, maxBytes, files);
      appendFileSync(file, line(record), { mode: 0o600 });
    } catch (fault) {
      isBroken = true;
      onFault(`the log in ${folder} cannot be written: ${messageOf(fault)}`);
    }
  };
}

/** A record that cannot be shown as JSON is still worth its message. */
function line(record: LogRecord): string {
  try {
    return `${JSON.stringify(record)}\n`;
  } catch {
    const { time, level, owner, message } = record;
    return `${JSON.stringify({ time, level, owner, message, fields: 'not representable as JSON' })}\n`;
  }
}

function rotate(folder: string, file: string, maxBytes: number, files: number): void {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < maxBytes) return;
  const stamp = new Date().toISOString().replaceAll(':', '').replace('.', '');
  try {
    renameSync(file, join(folder, `tenon-${stamp}-${process.pid}.jsonl`));
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault; // Another process moved it just now.
  }
  const old = readdirSync(folder).filter((name) => /^tenon-.*\.jsonl$/.test(name));
  for (const name of old.sort().slice(0, Math.max(0, old.length - files))) rmSync(join(folder, name), { force: true });
}
