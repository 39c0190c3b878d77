/** What other plugins may use of the providers. */
export { errors } from './errors.ts';
export { createProvider } from './protocols.ts';
