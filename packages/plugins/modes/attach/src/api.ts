/** What others may use of attach. */
export { errors } from './errors.ts';
