/** Reads, changes and writes a file under its lock. */
import { randomBytes } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf, type TenonError } from '@tenon/kernel';
import { errors } from './errors.ts';
import { type LockOptions, withLock } from './lock.ts';
import { followLinks, readText, readTextSync } from './read.ts';
import { replaceFile, type WriteOptions } from './replace.ts';

/** How a file is locked and written. */
export type UpdateOptions = LockOptions & WriteOptions & { readonly maxBytes?: number };

/**
 * Changes a file while no other process does. `change` gets the text, or undefined when there is no file, and gives the new text, or
 * undefined to leave the file alone. It is called again if the lock was lost meanwhile.
 */
export async function updateFile(
  file: string,
  change: (text: string | undefined, target: string) => string | undefined | Promise<string | undefined>,
  options: UpdateOptions = {},
): Promise<void> {
  // The lock belongs to the file itself, whichever link leads to it.
  const target = options.followLinks === false ? resolve(file) : await followLinks(file);
  const attempt = () =>
    withLock(
      target,
      async (lock) => {
        const before = await readText(target, options.maxBytes);
        const after = await change(before, target);
        if (!(await lock.isHeld())) return false;
        if (after !== undefined && after !== before)
          await replaceFile(target, after, { ...options, followLinks: false });
        return true;
      },
      options,
    );
  while (!(await attempt()));
}

/** How a value is kept in a file. */
export interface StateForm<T> {
  /** What a file that does not exist holds. */
  readonly empty: T;
  /** Throws an error whose message says what is wrong with the text. */
  parse(text: string): T;
  write(value: T): string;
  /** The error for a damaged file. */
  damaged(file: string, reason: string, cause: unknown): Error;
}

/** Reads a value. A damaged file is an error: treating it as empty would forget what was decided. */
export async function readState<T>(file: string, form: StateForm<T>): Promise<T> {
  return parsed(file, form, await readText(file));
}

/** The same for code that cannot wait. */
export function readStateSync<T>(file: string, form: StateForm<T>): T {
  return parsed(file, form, readTextSync(file));
}

function parsed<T>(file: string, form: StateForm<T>, text: string | undefined): T {
  if (text === undefined) return form.empty;
  try {
    return form.parse(text);
  } catch (fault) {
    throw form.damaged(file, messageOf(fault), fault);
  }
}

/**
 * Changes a value under the file's lock and gives the new one. A damaged file is an error; with `onSetAside` it is kept beside
 * under another name instead, and the value starts empty.
 */
export async function updateState<T>(
  file: string,
  form: StateForm<T>,
  change: (value: T) => T | Promise<T>,
  options: UpdateOptions & { onSetAside?(notice: TenonError): void } = {},
): Promise<T> {
  let value = form.empty;
  await updateFile(
    file,
    async (text, target) => {
      const damage = options.onSetAside && text !== undefined ? problemIn(text, form) : undefined;
      if (damage !== undefined) options.onSetAside?.(await setAside(target, damage));
      value = await change(damage === undefined ? parsed(file, form, text) : form.empty);
      return form.write(value);
    },
    options,
  );
  return value;
}

/** What is wrong with a text; undefined when it can be read. */
function problemIn<T>(text: string, form: StateForm<T>): string | undefined {
  try {
    form.parse(text);
    return undefined;
  } catch (fault) {
    return messageOf(fault);
  }
}

async function setAside(file: string, reason: string): Promise<TenonError> {
  const copy = `${file}.damaged-${new Date().toISOString().slice(0, 10)}-${randomBytes(3).toString('hex')}`;
  await rename(file, copy);
  return errors.create('STATE_FILE_SET_ASIDE', { file, kept: copy, reason });
}
