import { defineConfig } from 'vitest/config';

export default defineConfig({
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
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    globalSetup: ['scripts/test-setup.mjs'],
  },
});
