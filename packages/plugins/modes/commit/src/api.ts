/** What other plugins may use of the command. */
export { errors } from './errors.ts';
