/** THIRD-PARTY.md of a package: every package of others that is inside of it, with its licence and the text of it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { readJson } from '../workspace.mjs';
import { licenceFiles } from './bundled.mjs';

/**
 * @typedef {{ name: string, version: string, licence: string, texts: string[], author: string, source?: string }} Part
 */

/** Permissive ones, and those that ask to name where the source is (EPL, MPL). Another one needs a person who looks at it. */
const ACCEPTED =
  /^(?:0BSD|Apache-2\.0(?: WITH LLVM-exception)?|BlueOak-1\.0\.0|BSD-[23]-Clause|BSL-1\.0|CC0-1\.0|CC-BY-[34]\.0|CDLA-Permissive-2\.0|EPL-2\.0|ISC|MIT|MIT-0|MPL-2\.0|Python-2\.0|Unicode-(?:3\.0|DFS-2016)|Unlicense|WTFPL|Zlib)$/;

/** The npm packages whose files were built in. @param {string} root @param {Iterable<string>} inputs paths from the root @returns {Part[]} */
export function npmParts(root, inputs) {
  const folders = new Set();
  for (const input of inputs) {
    const folder = folderOf(root, input);
    // Packages of this repository are linked there.
    if (folder !== undefined && !folder.includes('node_modules/@tenon/')) folders.add(folder);
  }
  return [...folders].map((folder) => npmPart(folder));
}

/** The package that a file belongs to. One that another one has copied into its own files counts as part of that. */
function folderOf(root, input) {
  for (let at = input.lastIndexOf('node_modules/'); at !== -1; at = input.lastIndexOf('node_modules/', at - 1)) {
    const words = input.slice(at + 'node_modules/'.length).split('/');
    const name = words.slice(0, words[0].startsWith('@') ? 2 : 1).join('/');
    const folder = join(root, input.slice(0, at), 'node_modules', name);
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (at === 0) break;
  }
  return undefined;
}

/** @param {string} folder @returns {Part} */
export function npmPart(folder) {
  const { name, version, license, licenses, author, repository } = readJson(join(folder, 'package.json'));
  const texts = licenceFiles(folder).map((file) => readFileSync(file, 'utf8'));
  const named =
    typeof license === 'string' ? license : (license?.type ?? licenses?.map(({ type }) => type).join(' OR '));
  const licence = named ?? (/^\W*(?:The )?MIT License\b/.test(texts[0] ?? '') ? 'MIT' : '');
  const source = typeof repository === 'string' ? repository : repository?.url;
  return { name, version, licence, texts, source, author: typeof author === 'string' ? author : (author?.name ?? '') };
}

/** The crates in the addon, as cargo resolved them. @param {string} root @returns {Part[]} */
export function crateParts(root) {
  // A build fetches only what this platform needs; cargo wants to see the others, too, and fetches them here.
  const words = ['metadata', '--format-version', '1', '--locked'];
  const { packages, resolve } = JSON.parse(
    execFileSync('cargo', words, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const byId = new Map(packages.map((entry) => [entry.id, entry]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const addon = packages.find(({ manifest_path }) => manifest_path === join(root, 'native', 'Cargo.toml'));
  const reached = new Set([addon.id]);
  for (const id of reached)
    for (const { pkg, dep_kinds } of nodes.get(id)?.deps ?? [])
      if (dep_kinds.some(({ kind }) => kind === null)) reached.add(pkg);
  return [...reached]
    .map((id) => byId.get(id))
    .filter(({ source }) => source !== null)
    .map(({ name, version, license, manifest_path, license_file, authors, repository }) => {
      const folder = dirname(manifest_path);
      const files = [...licenceFiles(folder), ...(license_file ? [join(folder, license_file)] : [])];
      const texts = [...new Set(files)].filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'));
      return {
        name,
        version,
        licence: (license ?? '').replaceAll('/', ' OR '),
        texts,
        author: authors.join(', '),
        source: repository ?? undefined,
      };
    });
}

/** What nobody may publish without a look. @param {readonly Part[]} parts @returns {string[]} */
export function licenceProblems(parts) {
  return parts
    .filter(({ licence }) => !isAccepted(licence))
    .map(
      ({ name, version, licence }) =>
        `${name} ${version} has the licence "${licence}", which scripts/release/third-party.mjs does not know`,
    );
}

/** One of the choices is enough, and all that must hold together. */
function isAccepted(licence) {
  const choices = licence.replaceAll(/[()]/g, ' ').split(/\s+OR\s+/i);
  return choices.some((choice) => choice.split(/\s+AND\s+/i).every((one) => ACCEPTED.test(one.trim())));
}

/** Texts that several packages share, word for word, stand there once. @param {string} of the package @param {readonly Part[]} parts */
export function thirdPartyPage(of, parts) {
  const sorted = [...new Map(parts.map((part) => [`${part.name}@${part.version}`, part])).values()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const numbers = new Map();
  const numberOf = (text) => {
    if (!numbers.has(text)) numbers.set(text, numbers.size + 1);
    return numbers.get(text);
  };
  const sections = sorted.map((part) => {
    const { name, version, licence, author, source } = part;
    const texts = (part.texts.length > 0 ? part.texts : [noText(part)]).map((text) =>
      text.replaceAll('\r', '').trimEnd(),
    );
    const shown = `Text: ${texts.map((text) => numberOf(text)).join(', ')}`;
    const about = [`Licence: ${licence}`, author && `Author: ${author}`, source && `Source: ${source}`, shown];
    return [`## ${name} ${version}`, about.filter(Boolean).join('. ')].join('\n\n');
  });
  const texts = [...numbers].map(([text, number]) => `## Text ${number}\n\n${text.replaceAll(/^(?=.)/gm, '    ')}`);
  const intro = `${of} contains code of ${sorted.length} packages of others. Each has its own licence; the texts follow the list.`;
  return `${['# Third-party code', intro, ...sections, '# Licence texts', ...texts].join('\n\n')}\n`;
}

/** The terms of the licences that packages name without bringing the text. */
const TERMS = {
  MIT: 'Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:\n\nThe above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.\n\nTHE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.',
  ISC: 'Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice and this permission notice appear in all copies.\n\nTHE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.',
};

function noText({ licence, author }) {
  const name = Object.keys(TERMS).find((known) => licence.split(/\W+OR\W+|\(|\)/).includes(known));
  const head = 'The package brings no licence file.';
  return name === undefined
    ? `${head} The text of ${licence}: https://spdx.org/licenses/`
    : `${head} It names the ${name} licence:\n\nCopyright (c) ${author || 'its authors'}\n\n${TERMS[name]}`;
}
