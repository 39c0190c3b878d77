import { Fields } from '../fields.ts';
import type { DenialItem } from '../denials.ts';
import type { Origin, Search } from '../search.ts';

/** `disabledServers` of a user's mcp.json: MCP servers that are not used, whoever brings them. A project has no say in that. */
export async function readDeniedServers(search: Search<DenialItem>, file: Origin): Promise<void> {
  const record = file.level === 'user' ? await search.record(file, 'json') : undefined;
  if (!record) return;
  const names = new Fields(record, (what) => search.wrong(file, what)).list('disabledServers') ?? [];
  for (const name of names) search.add({ key: name, value: { name, file: file.path }, place: file, part: name });
}
