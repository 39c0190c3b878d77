import { defineConfig } from 'vitest/config';

import { sharedForks } from './scripts/shared-forks.mjs';
import { TestOrder } from './scripts/test-order.mjs';
import { boundTransformCache, transformCache, transformCachePlugin } from './scripts/transform-cache.mjs';

boundTransformCache();

/** Prompts are Markdown files that the code imports as text; esbuild does the same. */
const markdownAsText = {
  name: 'markdown-as-text',
  transform: (code: string, id: string) =>
    /\.(?:md|py|text)$/.test(id) ? { code: `export default ${JSON.stringify(code)}`, map: null } : undefined,
};

export default defineConfig({
  plugins: [markdownAsText, transformCachePlugin()],
  resolve: { conditions: ['tenon-source'] },
  ssr: { resolve: { conditions: ['tenon-source'] } },
  test: {
    include: [
      'packages/**/test/**/*.test.ts',
      'native/test/**/*.test.ts',
      'scripts/test/**/*.test.ts',
      'bench/test/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**', '**/.work/**'],
    // Whole runs share processes among files (scripts/run-vitest.mjs asks for it); a file that you run by its name has its own.
    pool: sharedForks,
    isolate: process.env['TENON_TEST_SHARED'] !== 'true',
    sequence: { sequencer: TestOrder },
    // Two for each of two cores: tests wait for processes much of the time, and with more of them what has a time limit gets close to it.
    maxWorkers: 4,
    // What a test waits for may take long on a busy machine; scripts/test-patience.mjs limits the tests themselves.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    // A model server on this machine answers no test; those of the probing itself name their own.
    env: { TENON_PROBE_LOCAL: 'false' },
    experimental: transformCache,
    globalSetup: ['scripts/test-setup.mjs'],
    setupFiles: ['scripts/test-fresh.mjs', 'scripts/test-seed.mjs', 'scripts/test-patience.mjs'],
  },
});
