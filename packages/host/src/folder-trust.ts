import { service } from '@tenon/kernel';

/** Whether the user trusts a folder, for those who stand below the plugin that knows it. */
export interface FolderTrust {
  stateOf(folder: string): Promise<'trusted' | 'untrusted' | 'unknown'>;
}

/** The part of `workspace-trust` (of the plugin trust) that settings need. */
export const folderTrust = service<FolderTrust>('workspace-trust');
