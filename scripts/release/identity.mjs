/** What all published packages say about themselves. */
import { join } from 'node:path';

import { readJson } from '../workspace.mjs';

/** The package of the program. */
export const AGENT = 'tenon-agent';

/** npm compares it with the repository that the provenance names; the release workflow sets the real one. */
const PLACEHOLDER = 'https://tenon.example/tenon.git';

/** The version that is released: that of the command line. @param {string} root */
export function releaseVersion(root) {
  return readJson(join(root, 'packages/cli/package.json')).version;
}

/**
 * Fields of every published manifest.
 * @param {string} root @param {string} directory the folder in the repository that the package comes from
 */
export function commonFields(root, directory) {
  const { license } = readJson(join(root, 'package.json'));
  const url = process.env.TENON_RELEASE_REPOSITORY ?? PLACEHOLDER;
  return {
    version: releaseVersion(root),
    license,
    repository: { type: 'git', url: `git+${url.replace(/^git\+/, '')}`, directory },
    engines: readJson(join(root, 'packages/cli/package.json')).engines,
    publishConfig: { access: 'public', provenance: true },
  };
}
