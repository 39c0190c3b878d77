/** What others may use of acp: its errors. */
export { errors } from './errors.ts';
