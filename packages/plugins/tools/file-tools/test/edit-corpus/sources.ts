/** The files that are edited: some of this repository, and a few written for this. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file and its language. */
export interface CorpusSource {
  readonly path: string;
  readonly language: string;
  readonly text: string;
}

const FIXTURES = 'packages/plugins/tools/file-tools/test/edit-corpus/fixtures';

const PATHS: Readonly<Record<string, readonly string[]>> = {
  typescript: [
    'packages/kernel/src/registry.ts',
    'packages/kernel/src/plugin.ts',
    'packages/plugins/tools/file-tools/src/changes.ts',
    'packages/plugins/tools/file-tools/src/paths.ts',
    'packages/plugins/tools/file-tools/src/edit/line-map.ts',
  ],
  python: [
    `${FIXTURES}/ledger.py`,
    'packages/plugins/tools/eval-tools/src/runners/python-runner.py',
    'packages/sdk/test/host.py',
  ],
  rust: [
    'crates/hashline/src/lib.rs',
    'crates/hashline/src/patch.rs',
    'crates/hashline/src/apply.rs',
    'crates/scan/src/lib.rs',
  ],
  go: [`${FIXTURES}/inventory.go`, `${FIXTURES}/queue.go`],
  json: [
    'packages/plugins/tools/file-tools/package.json',
    'packages/plugins/models/models/package.json',
    'packages/plugins/ecosystem/packs/package.json',
  ],
  markdown: [
    'docs/design/hashline.md',
    'docs/design/kernel.md',
    'docs/design/search.md',
    'packages/plugins/tools/file-tools/README.md',
  ],
};

/** The languages of the corpus. */
export const LANGUAGES = Object.keys(PATHS);

/** The files of a language that are there. */
export function sourcesOf(root: string, language: string): CorpusSource[] {
  return (PATHS[language] ?? [])
    .filter((path) => existsSync(join(root, path)))
    .map((path) => ({ path, language, text: readFileSync(join(root, path), 'utf8') }));
}
