/** The built-in adapters. Their code is loaded when one is first used. */
import type { WorkerAdapter } from '../api.ts';

/** How each is loaded. */
export const BUILT_IN = {
  aider: () => import('./aider.ts'),
  amp: () => import('./amp.ts'),
  claude: () => import('./claude.ts'),
  cline: () => import('./cline.ts'),
  codex: () => import('./codex.ts'),
  continue: () => import('./continue.ts'),
  'cursor-agent': () => import('./cursor-agent.ts'),
  forge: () => import('./forge.ts'),
  gemini: () => import('./gemini.ts'),
  kimi: () => import('./kimi.ts'),
  opencode: () => import('./opencode.ts'),
  pi: () => import('./pi.ts'),
  tenon: () => import('./tenon.ts'),
} as const satisfies Readonly<Record<string, () => Promise<{ readonly adapter: WorkerAdapter }>>>;

/** The name of a built-in adapter. */
export type BuiltInName = keyof typeof BUILT_IN;
