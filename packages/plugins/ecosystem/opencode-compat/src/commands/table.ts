import type { CommandCall } from '@tenon/command-line/api';
import type { Services } from '../host/services.ts';

/** The code of a command. */
export type ModuleCommand = (services: Services, call: CommandCall) => Promise<number | void>;

/** A command's code is imported when it runs. */
export const commandTable: Readonly<Record<string, () => Promise<ModuleCommand>>> = {
  'opencode list': async () => (await import('./list.ts')).listModules,
  'opencode check': async () => (await import('./list.ts')).checkModule,
  'opencode allow': async () => (await import('./decide.ts')).allowModule,
  'opencode trust': async () => (await import('./decide.ts')).trustModule,
  'opencode revoke': async () => (await import('./decide.ts')).revokeModule,
  'opencode enable': async () => (await import('./decide.ts')).enableModule,
  'opencode disable': async () => (await import('./decide.ts')).disableModule,
};
