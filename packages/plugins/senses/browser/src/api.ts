/** What other plugins may use of the browser: its errors. */
export { errors } from './errors.ts';
