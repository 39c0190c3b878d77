import type { Folders } from '@tenon/host';
import type { FileViews } from '@tenon/file-tools/api';
import type { AcceleratorName, Accelerators } from '@tenon/native';
import type { UrlRouter } from '@tenon/urls/api';
import { errors } from './errors.ts';
import type { SearchToolsSettings } from './generated/settings.ts';

/** What the tools need from the rest of Tenon. */
export interface SearchToolsHost {
  readonly config: SearchToolsSettings;
  readonly folders: Pick<Folders, 'cwd' | 'cache'>;
  readonly views: FileViews;
  readonly urls: Pick<UrlRouter, 'schemeOf' | 'locate' | 'list'>;
  accelerator<N extends AcceleratorName>(name: N): Promise<Accelerators[N]>;
}

/** Runs work that stops by itself after a while, and says so in words that help. */
export async function withinTime<T>(
  tool: string,
  timeoutMs: number,
  work: (timeoutMs: number) => Promise<T>,
): Promise<T> {
  try {
    return await work(timeoutMs);
  } catch (fault) {
    if (!(fault instanceof DOMException) || fault.name !== 'TimeoutError') throw fault;
    throw errors.create('SEARCH_TOOLS_TIMEOUT', { tool, seconds: timeoutMs / 1000 }, fault);
  }
}
