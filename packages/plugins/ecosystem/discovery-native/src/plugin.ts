import { folders } from '@tenon/host';
import { registerFamily, sourceFiles } from '@tenon/discovery/api';
import { definePlugin } from '@tenon/kernel';
import { nativeFamily } from './api.ts';

/** Finds Tenon's own files: `.tenon` in projects, and the folder of the user's settings. */
export default definePlugin({
  id: 'discovery-native',
  needs: { files: sourceFiles, folders },
  activate(ctx) {
    registerFamily(ctx, nativeFamily(ctx.needs.folders.config), ctx.needs.files);
  },
});
