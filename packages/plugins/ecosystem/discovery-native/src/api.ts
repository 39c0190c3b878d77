/** What other plugins may use: where Tenon's own files are. */
export { nativeFamily } from './family.ts';
