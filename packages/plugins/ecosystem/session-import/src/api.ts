/** What other plugins may use. */
export { errors } from './errors.ts';
