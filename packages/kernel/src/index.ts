/** The kernel's public face. Built-in plugins and third parties use exactly this. */
export { type Static, type TSchema, Type } from '@sinclair/typebox';
export type { Diagnostic } from './diagnostics.ts';
export * from './disposable.ts';
export * from './errors.ts';
export type { PendingHandler } from './hooks.ts';
export { kernelErrors } from './kernel-errors.ts';
export { KERNEL_VERSION } from './kernel-plugin.ts';
export { createKernel, type Kernel, type KernelOptions } from './kernel.ts';
export * from './logger.ts';
export * from './manifest.ts';
export * from './parse-manifest.ts';
export type { PluginState, PluginStatus, RegistrationInfo } from './plugin-record.ts';
export * from './plugin.ts';
export type * from './registry.ts';
export { checkSchema, type JsonSchema, loadSchemaCompiler, problemText, type SchemaProblem } from '@tenon/schema';
export type * from './settings.ts';
export * from './tokens.ts';
export * from './well-known.ts';
