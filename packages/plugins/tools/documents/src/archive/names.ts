/** Names inside archives. Whoever unpacks by such a name must never land outside. */
import { errors } from '../errors.ts';

/** The name with `/` and without `.` parts, or undefined when it is absolute, leads upwards or has control characters. */
export function safeName(written: string): string | undefined {
  const name = written.replaceAll('\\', '/');
  // oxlint-disable-next-line no-control-regex -- that is what is looked for
  if (name.startsWith('/') || /^[a-z]:\//i.test(name) || /[\0-\x1f\x7f]/.test(name)) return undefined;
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 || parts.includes('..') ? undefined : parts.join('/');
}

/** The name for a new entry; refuses what `safeName` does not take. */
export function nameForEntry(written: string): string {
  const name = safeName(written);
  if (name !== undefined && !written.endsWith('/') && Buffer.byteLength(name) <= 1024) return name;
  const reason = written.endsWith('/')
    ? 'it is the name of a folder'
    : 'it is empty, too long or leads out of the archive';
  throw errors.create('DOCUMENTS_ARCHIVE_NAME', { name: written, reason });
}
