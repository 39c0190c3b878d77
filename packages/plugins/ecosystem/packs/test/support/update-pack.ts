/** Changes the manifest of a pack, as an update would. */
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';

/** Writes the manifest with other fields, and a time that differs. */
export function updatePack(file: string, fields: Record<string, unknown>): void {
  const content = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...content, tenon: { ...content.tenon, ...fields } }));
  utimesSync(file, new Date(), new Date(Date.now() + 5_000));
}
