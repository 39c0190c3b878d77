/** What to do where no addon serves: it depends on where one was looked for. */
import type { AddonAttempt } from '@tenon/native';

/** @param origins of all places that were tried in vain */
export function addonRemedy(origins: ReadonlySet<AddonAttempt['origin']>): string {
  if (origins.has('explicit')) return 'Correct or unset TENON_ADDON.';
  if (origins.has('package') && !origins.has('checkout'))
    return 'Install Tenon again with its optional packages: `npm install -g --include=optional tenon-agent`.';
  return 'Run `npm run setup` in the checkout: it builds the native addon.';
}
