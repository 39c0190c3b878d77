/** Makes the folders of all packages that get published. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { makeAgentPackage } from './agent-package.mjs';
import {
  buildPackTypes,
  makeKernelPackage,
  makeModelFakes,
  makePackTypes,
  makeSdkPackage,
} from './author-packages.mjs';
import { packageProblems } from './check-package.mjs';
import { makeGrammarsPackage } from './grammars-package.mjs';
import { builtAddon, makeNativePackage } from './native-package.mjs';
import { ownPlatform } from './platforms.mjs';

/**
 * @typedef {{ name: string, folder: string }} Staged
 * @param {string} root @param {string} output
 * @param {{ only?: readonly string[], crates?: boolean, say?: (line: string) => void }} [options] `only`: packages by the name of their
 *   folder; `crates: false`: without the licences of the addon's crates
 * @returns {Promise<{ packages: Staged[], problems: string[], addon: boolean }>}
 */
export async function stageRelease(root, output, { only, crates, say = () => {} } = {}) {
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const packages = [];
  const problems = [];
  const isWanted = (key) => only === undefined || only.includes(key);
  const stage = async (key, make) => {
    if (!isWanted(key)) return undefined;
    say(key);
    const folder = join(output, key);
    const made = await make(folder);
    problems.push(...(made?.problems ?? []), ...packageProblems(folder, { root }));
    packages.push({ name: key, folder });
    return made;
  };

  const agent = await stage('tenon-agent', (folder) => makeAgentPackage(root, folder));
  const platform = ownPlatform();
  const addon = platform && builtAddon(root);
  if (platform && addon)
    await stage('native', (folder) => makeNativePackage(root, folder, platform, addon, { crates }));
  await stage('grammars', (folder) => makeGrammarsPackage(root, folder));
  if (isWanted('kernel') || isWanted('pack-types')) buildPackTypes(root);
  await stage('kernel', (folder) => makeKernelPackage(root, folder));
  await stage('pack-types', (folder) => makePackTypes(root, folder));
  await stage('model-fakes', (folder) => makeModelFakes(root, folder));
  await stage('sdk', (folder) => makeSdkPackage(root, folder, agent?.builtIn ?? []));
  return { packages, problems, addon: addon !== undefined };
}
