/** All agents whose conversations can be read. */
import type { Agent } from './agent.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { omp, pi } from './pi.ts';

/** All of them. */
export const agents: readonly Agent[] = [claude, codex, gemini, pi, omp];
