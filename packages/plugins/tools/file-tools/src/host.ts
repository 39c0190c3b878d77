import type { Folders } from '@tenon/host';
import type { Archives, Databases, Documents } from '@tenon/documents/api';
import type { AcceleratorName, Accelerators } from '@tenon/native';
import type { Places } from '@tenon/sandbox/api';
import type { UrlRouter } from '@tenon/urls/api';
import type { FileChanges, FilesWritten, FileViews } from './api.ts';
import type { FileToolsSettings } from './generated/settings.ts';

/** What the tools need from the rest of Tenon. */
export interface FileToolsHost {
  readonly config: FileToolsSettings;
  readonly folders: Pick<Folders, 'cwd'>;
  readonly views: FileViews;
  readonly changes: FileChanges;
  /** Tells others what was written, and gives what they say about it. */
  written(files: FilesWritten, signal: AbortSignal): Promise<FilesWritten>;
  /** What nobody writes to by way of a link. */
  readonly places: () => Places;
  accelerator<N extends AcceleratorName>(name: N): Promise<Accelerators[N]>;
  /** Found when a URL is given; the plugin works without anybody who owns schemes. */
  urls(): Promise<UrlRouter | undefined>;
  /** Found when something is not text; plain files are read without them. */
  documents(): Promise<Documents>;
  archives(): Promise<Archives>;
  databases(): Promise<Databases>;
}
