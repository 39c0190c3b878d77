import type { DataFormat } from '../formats.ts';
import type { ForeignSettings } from '../kinds.ts';
import type { Origin, Search } from '../search.ts';

/** A settings file, as it is. */
export async function readSettings(
  search: Search<ForeignSettings>,
  place: Origin,
  format: DataFormat = 'json',
  limit?: number,
): Promise<void> {
  const data = await search.record(place, format, limit);
  if (data) search.add({ key: place.path, value: { path: place.path, data }, place });
}
