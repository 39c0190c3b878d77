/** Shows what is installed to the commands that are about all plugins, and makes sure of packs before they start. */
import { basename } from 'node:path';
import { plainLine } from '@tenon/wording';
import type { MarketplacePlugins } from '@tenon/packs/api';
import { usablePlugins } from './bundles.ts';
import type { Engine } from './engine.ts';
import { errors } from './errors.ts';
import { reviewText } from './review/review-text.ts';
import { pinText } from './store/pins.ts';
import { tamperingText } from './store/verify.ts';

/** Makes the service. */
export function createMarketplacePlugins(engine: Engine, signal: AbortSignal): MarketplacePlugins {
  const { folders, store, installer } = engine;
  const all = async () => (await usablePlugins(engine, folders.cwd, { signal })).plugins;
  return {
    async list() {
      return (await all()).map(({ id, scope, locked, folder, disabled }) => ({
        id,
        version: locked.version,
        scope,
        folder,
        ...(locked.pack !== undefined && { pack: locked.pack }),
        ...(disabled !== undefined && { disabled }),
      }));
    },
    async verify(folder) {
      const content = `sha256-${basename(folder)}`;
      const sealed = await store.read(content);
      const plugin = sealed?.definition.id ?? folder;
      const files = sealed
        ? tamperingText(await store.verify(content, sealed, { signal }))
        : 'nothing says what was installed';
      if (files !== '') throw errors.create('MARKETPLACE_TAMPERED', { plugin, files });
    },
    async setEnabled(id, enabled) {
      if (!(await all()).some((plugin) => plugin.id === id)) return false;
      await installer.setEnabled(id, enabled);
      return true;
    },
    async inspect(id) {
      const plugin = (await all()).find((candidate) => candidate.id === id);
      if (!plugin) return undefined;
      const { scope, locked, folder, disabled, definition } = plugin;
      const review = disabled === undefined ? await installer.reviewOf(locked, signal) : undefined;
      const { version, content, pin, installedAt, previous, key, pack } = locked;
      const facts = {
        id,
        version,
        scope,
        folder,
        content,
        pin,
        installedAt,
        key,
        pack,
        disabled,
        previous: previous?.version,
        manifest: definition?.manifest,
        review,
      };
      const lines = [
        `${id} ${version}  ${scope}, ${disabled === undefined ? 'in use' : 'disabled'}`,
        ...(disabled === undefined ? [] : [`  DISABLED: ${plainLine(disabled)}`]),
        `  from ${plainLine(pinText(pin))}`,
        `  ${content}`,
        `  ${folder}`,
        ...(pack === undefined ? [] : [`  is the pack "${pack}"; see \`tenon plugin inspect ${pack}\``]),
        ...(previous === undefined ? [] : [`  ${previous.version} is kept for \`tenon plugin rollback ${id}\``]),
        '',
      ];
      return { facts, text: lines.join('\n') + (review ? reviewText(review) : '') };
    },
  };
}
