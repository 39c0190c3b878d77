/** What screens are made of. It knows nothing of agents. */
export * from './content/index.ts';
export * from './editor/index.ts';
export * from './lists/index.ts';
export * from './lists/keys.ts';
export * from './theme/index.ts';
