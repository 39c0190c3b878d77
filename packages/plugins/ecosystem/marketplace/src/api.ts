/** What other plugins may use of marketplaces: the error catalogue. What is installed reaches others through discovery and packs. */
export { errors } from './errors.ts';
