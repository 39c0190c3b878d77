/** The commands, for the Tenon that runs. */
import type { CommandCall } from '@tenon/command-line/api';
import type { Folders } from '@tenon/host';
import { errors } from './errors.ts';
import { npmIn } from './npm.ts';
import { findPlace, type GlobalPlace, PACKAGE, type Place } from './place.ts';
import { uninstall } from './uninstall.ts';
import { rollBack, update } from './update.ts';

/** `tenon update`. */
export async function runUpdate(folders: Folders, call: CommandCall): Promise<number> {
  const place = globalPlace(findPlace());
  if (call.flags['rollback'] === true) {
    refuseWindows(`npm install -g ${PACKAGE}@VERSION`);
    return rollBack({ place }, call);
  }
  if (call.flags['check'] !== true) refuseWindows(`npm install -g ${PACKAGE}@latest`);
  return update({ place, npm: npmIn(folders.home) }, call);
}

/** `tenon uninstall`. */
export async function runUninstall(folders: Folders, call: CommandCall): Promise<number> {
  const place = globalPlace(findPlace());
  refuseWindows(`npm uninstall -g ${PACKAGE}`);
  return uninstall({ place, folders, npm: npmIn(folders.home) }, call);
}

/** Only what npm has installed for the user can be changed from inside. */
export function globalPlace(place: Place): GlobalPlace {
  switch (place.kind) {
    case 'global':
      return place;
    case 'clone':
      throw errors.create('INSTALLATION_CLONE', { folder: place.folder });
    case 'sdk':
      throw errors.create('INSTALLATION_SDK', { name: place.name, folder: place.folder });
    case 'npx':
      throw errors.create('INSTALLATION_NPX', { folder: place.folder });
    case 'elsewhere':
      throw errors.create('INSTALLATION_NOT_GLOBAL', { folder: place.folder });
  }
}

function refuseWindows(command: string): void {
  if (process.platform === 'win32') throw errors.create('INSTALLATION_WINDOWS', { command });
}
