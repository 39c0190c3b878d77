/** The package of a platform's addon. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { sourceHash } from '../build-native.mjs';
import { put, putJson } from './files.mjs';
import { commonFields } from './identity.mjs';
import { crateParts, licenceProblems, thirdPartyPage } from './third-party.mjs';

/** The hash of the sources that an addon must come from. @param {string} root */
export function addonHash(root) {
  return sourceHash(root);
}

/** The addon that this machine has built, if it is that of the present sources: their hash is in it. @param {string} root @returns {string | undefined} */
export function builtAddon(root) {
  const file = join(root, 'native/tenon.node');
  return existsSync(file) && readFileSync(file, 'latin1').includes(addonHash(root)) ? file : undefined;
}

/**
 * @param {string} root @param {string} folder
 * @param {import('./platforms.mjs').Platform} platform @param {string} addon the compiled library
 * @param {{ crates?: boolean }} [options] `crates: false` leaves out their licences, for which cargo must have their sources
 * @returns {{ problems: string[] }}
 */
export function makeNativePackage(root, folder, platform, addon, { crates = true } = {}) {
  const { name, os, cpu, libc } = platform;
  const file = `tenon.${name}.node`;
  const { version, license, repository, engines, publishConfig } = commonFields(root, `native/npm/${name}`);
  putJson(join(folder, 'package.json'), {
    name: `@tenon/native-${name}`,
    version,
    description: `The native addon of Tenon for ${name}.`,
    license,
    repository,
    engines,
    os: [os],
    cpu: [cpu],
    ...(libc && { libc: [libc] }),
    main: file,
    files: [file, 'THIRD-PARTY.md'],
    publishConfig,
  });
  cpSync(addon, join(folder, file));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  put(
    join(folder, 'README.md'),
    `# @tenon/native-${name}\n\nThe native addon of Tenon (\`tenon-agent\`) for ${name}. npm installs it with \`tenon-agent\`; there is nothing to call in it.\n`,
  );
  const parts = crates ? crateParts(root) : [];
  put(join(folder, 'THIRD-PARTY.md'), thirdPartyPage(`@tenon/native-${name}`, parts));
  return { problems: licenceProblems(parts) };
}
