/** What other plugins may use of the plugin for OpenCode modules: its errors, and the hooks that it calls. */
export { errors } from './errors.ts';
export { SERVED_HOOKS, type ServedHook } from './protocol.ts';
