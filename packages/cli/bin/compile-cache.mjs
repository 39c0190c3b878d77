/** Newer versions of Node keep compiled code between runs; in the user's own cache folder, because nobody else may put code there. */
import nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const caches = process.env.TENON_HOME ? join(process.env.TENON_HOME, 'cache') : undefined;
const folder = caches ?? join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tenon');
nodeModule.enableCompileCache?.(join(folder, 'compiled'));
