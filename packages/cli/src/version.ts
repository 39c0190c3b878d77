import manifest from '../package.json' with { type: 'json' };

/** Tenon's version; the build puts it into the program, so that `--version` reads no file. */
export const VERSION: string = manifest.version;
