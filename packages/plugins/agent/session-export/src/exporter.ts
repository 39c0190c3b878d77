import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf } from '@tenon/kernel';
import type { SessionExporter } from './api.ts';
import { errors } from './errors.ts';

/** The exporter; the page is only loaded when one is made. */
export const exporter: SessionExporter = {
  async html(session) {
    const { renderPage } = await import('./html/page.ts');
    return renderPage(session);
  },
  async tree(session) {
    const { treeText } = await import('./transcript.ts');
    return treeText(session);
  },
  async write(session, { cwd, file = `tenon-session-${session.id}.html` }) {
    const path = resolve(cwd, file);
    const page = await this.html(session);
    try {
      // A transcript may hold what only its owner should read.
      await writeFile(path, page, { mode: 0o600 });
    } catch (fault) {
      throw errors.create('SESSION_EXPORT_WRITE', { file: path, reason: messageOf(fault) }, fault);
    }
    return path;
  },
};
