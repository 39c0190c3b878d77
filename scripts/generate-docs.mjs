#!/usr/bin/env node
/**
 * Writes the reference pages that repeat what the code says: errors, manifest, settings, commands, tools, workers, the
 * picture of the architecture, and the report of the kernel's public API. They are committed, and a test compares them with what this would write.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { apiReportFiles } from './docs/api-report.mjs';
import { architecturePicture } from './docs/architecture-picture.mjs';
import { commandsPage } from './docs/commands-page.mjs';
import { errorsPage } from './docs/errors-page.mjs';
import { exitCodesPage } from './docs/exit-codes-page.mjs';
import { manifestPage } from './docs/manifest-page.mjs';
import { pluginsPage } from './docs/plugins-page.mjs';
import { settingsPage } from './docs/settings-page.mjs';
import { toolPages } from './docs/tools-pages.mjs';
import { workerPages } from './docs/workers-pages.mjs';
import { runGenerator } from './generated-file.mjs';
import { REPOSITORY } from './workspace.mjs';

/** Every generated page. @param {string} [root] */
export async function docFiles(root = REPOSITORY) {
  const pages = await Promise.all([
    errorsPage(root),
    manifestPage(root),
    settingsPage(root),
    commandsPage(root),
    exitCodesPage(root),
    pluginsPage(root),
    architecturePicture(root),
  ]);
  return [...pages, ...(await toolPages(root)), ...(await workerPages(root)), ...(await apiReportFiles(root))];
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await runGenerator(REPOSITORY, 'node scripts/generate-docs.mjs', () => docFiles());
}
