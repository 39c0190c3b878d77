import { basename } from 'node:path';
import { Fields, present } from '../fields.ts';
import type { InstructionFile } from '../kinds.ts';
import type { Origin, Search } from '../search.ts';

/** Instructions of a folder: Markdown with `applyTo`. */
export async function readInstructions(search: Search<InstructionFile>, folder: Origin, ending = '.md'): Promise<void> {
  const files = await search.tree(folder, [ending]);
  for (const { place, parts } of files) await readInstruction(search, place, parts.join('/').slice(0, -ending.length));
}

/** One file with instructions. */
export async function readInstruction(search: Search<InstructionFile>, place: Origin, name?: string): Promise<void> {
  const document = await search.markdown(place);
  if (!document || document.body === '') return;
  const fields = new Fields(document.data, (what) => search.wrong(place, what));
  const own = name ?? basename(place.path).replace(/\.\w+$/, '');
  search.add({
    key: own,
    value: {
      name: own,
      path: place.path,
      content: document.body,
      ...present({ applyTo: fields.texts('applyTo', 'apply-to', 'globs'), description: fields.text('description') }),
    },
    place,
  });
}
