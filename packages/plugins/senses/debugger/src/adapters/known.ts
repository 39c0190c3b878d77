/** All adapters that are defined: those of the settings first, then those of plugins and packs. */
import type { Entry, Logger } from '@tenon/kernel';
import { messageOf } from '@tenon/kernel';
import { type KnownAdapter, readAdapter } from './definition.ts';

/** Reads all definitions. One that cannot be read is reported and left out. */
export function knownAdapters(
  ofSettings: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  entries: readonly Entry<object>[],
  log: Pick<Logger, 'warn'>,
): KnownAdapter[] {
  const own = Object.entries(ofSettings).map(
    ([key, data]) =>
      () =>
        readAdapter(key, data, false),
  );
  const others = entries
    .filter(({ key, shadowed }) => !shadowed && !Object.hasOwn(ofSettings, key))
    .map(
      ({ key, data, source }) =>
        () =>
          readAdapter(key, data, source.foreign === true),
    );
  return [...own, ...others].flatMap((read) => {
    try {
      return [read()];
    } catch (fault) {
      log.warn(messageOf(fault));
      return [];
    }
  });
}
