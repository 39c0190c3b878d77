/** What other plugins may use: which files belong to this family. */
export { family } from './family.ts';
