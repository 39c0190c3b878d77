import { registerFamily, sourceFiles } from '@tenon/discovery/api';
import { definePlugin } from '@tenon/kernel';
import { family } from './api.ts';

/** Finds what pi and oh-my-pi have: `.omp`, `.pi`, their extensions, tools, hooks and packages. */
export default definePlugin({
  id: 'discovery-pi',
  needs: { files: sourceFiles },
  activate(ctx) {
    registerFamily(ctx, family, ctx.needs.files);
  },
});
