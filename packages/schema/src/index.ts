export * from './check.ts';
export { satisfies } from './version-range.ts';
