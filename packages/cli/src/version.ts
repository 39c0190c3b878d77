/** Tenon's version; a test holds it equal to package.json. Written here so that `--version` reads no file. */
export const VERSION = '0.1.0';
