import type { Plugin } from '@tenon/kernel';

/** The code of a built-in plugin. In built programs a table takes the place of this file (built-program.ts). */
export async function importPlugin(name: string): Promise<Plugin> {
  return ((await import(/* @vite-ignore */ `@tenon/${name}`)) as { default: Plugin }).default;
}
