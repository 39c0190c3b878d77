/** Words of esbuild, whose flags carry names behind a colon. */
import type { Language } from '../language.ts';
import { readOptions } from './option-table.ts';

const TEXT = /[\w.,@*/:="' -]*/;

/** Words of esbuild. */
export const language: Language = {
  read(words, meaning) {
    const operands = readOptions(words, meaning, {
      plain:
        '--bundle --minify --minify-whitespace --minify-identifiers --minify-syntax --splitting --sourcemap --allow-overwrite --keep-names --metafile --watch --preserve-symlinks --version --help --analyze --tree-shaking --ignore-annotations',
      next: {},
      attached: {
        '--format= --platform= --target= --charset= --global-name= --main-fields= --conditions= --jsx= --jsx-factory= --jsx-fragment= --jsx-import-source= --legal-comments= --log-level= --log-limit= --packages= --public-path= --sourcemap= --tree-shaking= --resolve-extensions= --external: --define: --loader: --drop: --banner: --footer: --pure: --supported: --analyze= --watch= --color= --drop-labels= --sources-content=':
          TEXT,
        '--entry-names= --chunk-names= --asset-names=': 'code.name-pattern',
        '--outfile= --outdir= --metafile=': 'write',
        '--tsconfig= --outbase= --inject:': 'read',
      },
    });
    for (const word of operands) meaning.role('read', { ...word });
  },
};
