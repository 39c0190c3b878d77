/** What others may use of installation. */
export { errors } from './errors.ts';
export { findPlace, type GlobalPlace, type Place } from './place.ts';
