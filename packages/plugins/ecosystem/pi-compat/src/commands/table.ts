import type { CommandCall } from '@tenon/command-line/api';
import type { ExtensionServices } from '../host/services.ts';

/** The code of a command. */
export type ExtensionCommand = (world: ExtensionServices, call: CommandCall) => Promise<number | void>;

/** A command's code is imported when it runs: every start of Tenon passes through here. */
export const commandTable: Readonly<Record<string, () => Promise<ExtensionCommand>>> = {
  'extension list': async () => (await import('./list.ts')).listExtensions,
  'extension check': async () => (await import('./check.ts')).checkExtension,
  'extension allow': async () => (await import('./decide.ts')).allowExtension,
  'extension trust': async () => (await import('./decide.ts')).trustExtension,
  'extension revoke': async () => (await import('./decide.ts')).revokeExtension,
  'extension enable': async () => (await import('./decide.ts')).enableExtension,
  'extension disable': async () => (await import('./decide.ts')).disableExtension,
};
