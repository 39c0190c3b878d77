/** The package of the WASM grammars. Nobody needs it where the addon serves; `native/src/syntax/grammars.ts` looks for it on first use. */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';

import { readJson } from '../workspace.mjs';
import { licenceFiles, packageFolder } from './bundled.mjs';
import { put, putJson } from './files.mjs';
import { commonFields } from './identity.mjs';
import { licenceProblems, npmPart, thirdPartyPage } from './third-party.mjs';

/** @param {string} root @param {string} folder @returns {{ problems: string[], languages: number }} */
export function makeGrammarsPackage(root, folder) {
  const { languages } = readJson(join(root, 'native/src/syntax/languages.json'));
  const packaged = languages.filter(({ wasm }) => wasm !== undefined);
  for (const { id, wasm } of packaged)
    cpSync(join(packageFolder(root, wasm.package), wasm.file), join(folder, `tree-sitter-${id}.wasm`));
  const sources = [...new Set(packaged.map(({ wasm }) => wasm.package))].map((name) => packageFolder(root, name));
  // It names the origin and the licence of every grammar in it.
  for (const source of sources)
    if (existsSync(join(source, 'cgmanifest.json')))
      cpSync(join(source, 'cgmanifest.json'), join(folder, 'cgmanifest.json'));
  const { version, license, repository, engines, publishConfig } = commonFields(root, 'native');
  putJson(join(folder, 'package.json'), {
    name: '@tenon/grammars',
    version,
    description: 'WASM grammars for Tenon where its native addon does not serve.',
    license,
    repository,
    engines,
    exports: { './package.json': './package.json', './*.wasm': './*.wasm' },
    files: ['*.wasm', 'cgmanifest.json', 'THIRD-PARTY.md'],
    publishConfig,
  });
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const names = packaged.map(({ id }) => id).join(', ');
  put(
    join(folder, 'README.md'),
    `# @tenon/grammars\n\nGrammars of tree-sitter as WebAssembly for Tenon (\`tenon-agent\`): outlines and structural search where there is no native addon, and languages that the addon does not have.\n\n\`\`\`sh\nnpm install -g @tenon/grammars\n\`\`\`\n\nLanguages: ${names}.\n`,
  );
  const parts = sources.map((source) => npmPart(source));
  const without = sources.filter((source) => licenceFiles(source).length === 0);
  put(join(folder, 'THIRD-PARTY.md'), thirdPartyPage('@tenon/grammars', parts));
  return {
    languages: packaged.length,
    problems: [...licenceProblems(parts), ...without.map((source) => `${source} has no licence file`)],
  };
}
