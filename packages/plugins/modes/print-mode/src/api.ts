/** What other plugins and programs may use of print mode: its errors. */
export { errors } from './errors.ts';
