/** In a module of its own, because a dynamic import of a CommonJS package loses its named exports in a bundle. */
export { parse } from 'yaml';
