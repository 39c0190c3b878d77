import { type JsonSchema, type Kernel, service, type Settings } from '@tenon/kernel';
import type { Folders } from './folders.ts';

/** The running kernel, for commands that show or manage it. */
export interface KernelView extends Pick<
  Kernel,
  | 'status'
  | 'registrations'
  | 'pending'
  | 'diagnostics'
  | 'install'
  | 'uninstall'
  | 'discover'
  | 'activate'
  | 'unload'
  | 'reload'
  | 'read'
> {
  /** Tenon's own version. */
  readonly version: string;
  readonly folders: Folders;
  /** The settings engine; it starts when one of these is called. */
  readonly settings: Omit<Settings, 'section' | 'watch' | 'schema'> & { schema(): Promise<JsonSchema> };
}

/** The running kernel. */
export const kernelView = service<KernelView>('kernel-view');
