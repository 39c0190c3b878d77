import { definePlugin } from '@tenon/kernel';
import { archives, databases, documents } from './api.ts';
import { createDocuments } from './documents.ts';

/** Formats that are not text: documents, images, archives and databases. */
export default definePlugin({
  id: 'documents',
  defines: [documents, archives, databases],
  activate(ctx) {
    ctx.provide(documents, createDocuments());
    // The code for archives and databases is loaded when the first one is opened.
    const archiveCode = async () => (await import('./archive/archives.ts')).createArchives();
    ctx.provide(archives, {
      open: async (source, call) => (await archiveCode()).open(source, call),
      put: async (file, entry, call) => (await archiveCode()).put(file, entry, call),
    });
    ctx.provide(databases, {
      open: async (file, call) => (await import('./database/sqlite.ts')).createDatabases().open(file, call),
    });
  },
});
