/** In a module of its own, because a dynamic import of a CommonJS package loses its named exports in the built program. */
export { parse } from 'yaml';
