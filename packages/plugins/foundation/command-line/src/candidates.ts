import type { Slot, Token } from '@tenon/kernel';
import type { KernelView } from '@tenon/host';
import { errors } from './errors.ts';
import { plainLine } from '@tenon/wording';

/** What a completion script offers for a kind that only the running kernel knows. */
export async function candidates(
  kind: string,
  kernel: KernelView,
  findSlot: (id: string) => Promise<Token>,
): Promise<readonly string[]> {
  if (kind === 'plugins') return kernel.status().map(({ id, description }) => describe(id, description));
  if (kind === 'settings')
    return (await kernel.settings.list()).map(({ key, description }) => describe(key, description));
  if (kind.startsWith('slot:')) {
    const slot = (await findSlot(kind.slice('slot:'.length))) as Slot<unknown>;
    return kernel
      .read(slot)
      .list()
      .map(({ key, data }) => describe(key, data['summary'] ?? data['title'] ?? data['description']));
  }
  throw errors.create('COMMAND_LINE_COMPLETION_KIND', { kind });
}

/** Name, tab, description. */
function describe(name: string, text: unknown): string {
  return typeof text === 'string' && text !== '' ? `${plainLine(name)}\t${plainLine(text)}` : plainLine(name);
}
