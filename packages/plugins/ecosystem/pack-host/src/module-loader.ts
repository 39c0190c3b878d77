/** Imports TypeScript and JavaScript that others wrote, with modules of the program itself under the names they use. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loaderFolder } from './loader-folder.ts';

/** Imports a file. `modules` are found under their names instead of on disk; `alias` leads names to other names. */
export async function importForeignModule(
  file: string,
  modules: Readonly<Record<string, unknown>>,
  options: { readonly alias?: Readonly<Record<string, string>>; readonly jsx?: boolean } = {},
): Promise<Record<string, unknown>> {
  const { createJiti } = await importLoader();
  const jiti = createJiti(file, {
    // As it is: it may answer to names that it does not list.
    virtualModules: modules as Record<string, unknown>,
    ...(options.alias && { alias: { ...options.alias } }),
    ...(options.jsx === true && { jsx: true }),
    // Nothing is kept on disk: a cache that the code can reach would outlive what the user looked at.
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    // It would try Node's own import first where it finds a global `Bun`, as the runtime for OpenCode has one, and that knows nothing of the modules above.
    tryNative: false,
  });
  return jiti.import<Record<string, unknown>>(file);
}

/** Imported by path: it looks for its own parts beside its code, so it stays outside the program file. */
function importLoader(): Promise<typeof import('jiti')> {
  return import(pathToFileURL(join(loaderFolder(), 'lib', 'jiti.mjs')).href) as Promise<typeof import('jiti')>;
}
