import type { Folders } from '@tenon/host';
import type { FileChanges, FileViews } from '@tenon/file-tools/api';
import type { AcceleratorName, Accelerators } from '@tenon/native';
import type { UrlRouter } from '@tenon/urls/api';
import type { PendingActions } from './api.ts';
import type { SyntaxToolsSettings } from './generated/settings.ts';

/** What the tools need from the rest of Tenon. */
export interface SyntaxToolsHost {
  readonly config: SyntaxToolsSettings;
  readonly folders: Pick<Folders, 'cwd'>;
  readonly views: FileViews;
  readonly changes: FileChanges;
  readonly pending: PendingActions;
  readonly urls: Pick<UrlRouter, 'schemeOf' | 'locate' | 'list'>;
  accelerator<N extends AcceleratorName>(name: N): Promise<Accelerators[N]>;
}
