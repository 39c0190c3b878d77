/** What other plugins may use of the secrets: the error catalogue. Masking happens in the hooks and the stream filter. */
export { errors } from './errors.ts';
