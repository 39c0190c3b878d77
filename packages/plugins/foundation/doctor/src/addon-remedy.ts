/** What to do where no addon serves: it depends on where one was looked for. */
import type { AddonAttempt } from '@tenon/native';

/** @param attempts all that was tried in vain */
export function addonRemedy(attempts: readonly Pick<AddonAttempt, 'origin' | 'isBeingBuilt'>[]): string {
  const origins = new Set(attempts.map(({ origin }) => origin));
  if (origins.has('explicit')) return 'Correct or unset TENON_ADDON.';
  if (attempts.some(({ isBeingBuilt }) => isBeingBuilt))
    return 'Nothing to do: it serves as soon as it is built. `tenon doctor accelerators` shows how far it is.';
  if (origins.has('package') && !origins.has('checkout'))
    return 'Install Tenon again with its optional packages: `npm install -g --include=optional tenon-agent`.';
  return 'Run `npm run setup` in the checkout: it builds the native addon.';
}
