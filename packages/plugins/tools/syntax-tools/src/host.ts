import type { Folders } from '@tenon/host';
import type { FileChanges, FileViews } from '@tenon/file-tools/api';
import type { AcceleratorName, Accelerators } from '@tenon/native';
import type { UrlRouter } from '@tenon/urls/api';
import type { PendingActions } from './api.ts';

/** The plugin's settings. */
export interface SyntaxToolsConfig {
  readonly maxFiles: number;
}

/** What the tools need from the rest of Tenon. */
export interface SyntaxToolsHost {
  readonly config: SyntaxToolsConfig;
  readonly folders: Pick<Folders, 'cwd'>;
  readonly views: FileViews;
  readonly changes: FileChanges;
  readonly pending: PendingActions;
  readonly urls: Pick<UrlRouter, 'schemeOf' | 'locate' | 'list'>;
  accelerator<N extends AcceleratorName>(name: N): Promise<Accelerators[N]>;
}
