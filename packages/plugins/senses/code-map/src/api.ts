/** What other plugins may use of the map of code: how to ask for one. */
export { mapAddress } from './address.ts';
