/** Puts the grammars of commands into the program: as JSON, so that it needs no YAML for them, and one text per file, so that only those are parsed that a command needs. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @type {import('esbuild').Plugin} */
export const COMPILED_GRAMMARS = {
  name: 'compiled-grammars',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]proof[\\/]grammar-files\.ts$/ }, async ({ path }) => {
      const { parse } = await import('yaml');
      const folder = join(dirname(path), 'grammars');
      const files = readdirSync(folder).filter((name) => name.endsWith('.yml'));
      const texts = files.map((file) => [file, parse(readFileSync(join(folder, file), 'utf8'), { merge: true })]);
      const names = texts.flatMap(([file, data]) =>
        (data?.names ?? [file.slice(0, -'.yml'.length)]).map((name) => [String(name), file]),
      );
      const stored = Object.fromEntries(
        texts.map(([file, data]) => [file, JSON.stringify({ ...data, shared: undefined })]),
      );
      const contents = `const files = new Map(${JSON.stringify(names)});
const texts = ${JSON.stringify(stored)};
export const grammarFiles = () => files;
export const grammarData = (file) => JSON.parse(texts[file]);`;
      return { contents, loader: 'js' };
    });
  },
};
