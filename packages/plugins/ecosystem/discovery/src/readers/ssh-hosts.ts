import { Fields, present } from '../fields.ts';
import type { SshHost } from '../kinds.ts';
import { isRecord, type Origin, type Search } from '../search.ts';

/** Hosts of an `ssh.json`: `{ "hosts": { "name": { "host": "…" } } }`. */
export async function readSshFile(search: Search<SshHost>, file: Origin): Promise<void> {
  const record = await search.record(file, 'json');
  if (!record) return;
  const { hosts } = record;
  if (!isRecord(hosts)) return search.wrong(file, '"hosts" must be an object by name');
  for (const [name, entry] of Object.entries(hosts)) {
    if (!isRecord(entry)) {
      search.wrong(file, `the host "${name}" must be an object`);
      continue;
    }
    const fields = new Fields(entry, (what) => search.wrong(file, `host "${name}": ${what}`));
    addSshHost(search, file, name, {
      host: fields.text('host', 'hostname') ?? name,
      user: fields.text('username', 'user'),
      port: fields.number('port'),
      identityFile: fields.text('keyPath', 'key', 'identityFile'),
      description: fields.text('description'),
    });
  }
}

/** Adds a host, unless what it says would be taken for an option by `ssh`. */
export function addSshHost(
  search: Search<SshHost>,
  place: Origin,
  name: string,
  entry: { [K in Exclude<keyof SshHost, 'name' | 'path'>]: SshHost[K] | undefined },
): void {
  const { host = name, user, port, identityFile, description } = entry;
  if ([name, host, user].some((text) => text?.startsWith('-') || /\s/.test(text ?? '')))
    return search.wrong(place, `the host "${name}" must not begin with "-" or hold blanks`);
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536))
    return search.wrong(place, `the host "${name}" has no port ${port}`);
  search.add({
    key: name,
    value: { name, path: place.path, host, ...present({ user, port, identityFile, description }) },
    place,
    part: name,
  });
}
