import { Fields } from '../fields.ts';
import type { DenialItem } from '../denials.ts';
import type { Place, Search } from '../search.ts';

/** `disabledServers` of a user's mcp.json: MCP servers that are not used, whoever brings them. */
export async function readDeniedServers(search: Search<DenialItem>, file: Place): Promise<void> {
  const record = await search.record(file, 'json');
  if (!record) return;
  const names = new Fields(record, (what) => search.wrong(file, what)).list('disabledServers') ?? [];
  for (const name of names) search.add({ key: name, value: { name, file: file.path }, place: file, part: name });
}
