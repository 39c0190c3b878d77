/**
 * A home and a project with every format of every family, written from the documented formats: `families/<family>.ts`. Paths begin
 * with `home/` or `project/`; `{root}` in a text stands for the folder that holds both.
 */
import { readdirSync } from 'node:fs';

type Files = Readonly<Record<string, string>>;

const names = readdirSync(new URL('families', import.meta.url)).map((file) => file.slice(0, -'.ts'.length));

/** Family -> path -> text. */
export const filesByFamily: Readonly<Record<string, Files>> = Object.fromEntries(
  await Promise.all(
    names.map(async (name) => {
      const { files } = (await import(`./families/${name}.ts`)) as { files: Files };
      return [name, files];
    }),
  ),
);

/** Path -> text, of all families. */
export const fixtureFiles: Files = Object.assign({}, ...Object.values(filesByFamily)) as Files;
