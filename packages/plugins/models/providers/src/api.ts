/** What other plugins may use of the providers. */
export { errors } from './errors.ts';
export { createProvider, type ProtocolName, PROTOCOLS } from './protocols.ts';
