// Made by `npm run generate` from the files of this folder. Do not edit.
import type { Family } from '../family.ts';
import { family as agents } from './agents.ts';
import { family as claude } from './claude.ts';
import { family as cline } from './cline.ts';
import { family as codex } from './codex.ts';
import { family as copilot } from './copilot.ts';
import { family as cursor } from './cursor.ts';
import { family as devin } from './devin.ts';
import { family as gemini } from './gemini.ts';
import { family as native } from './native.ts';
import { family as opencode } from './opencode.ts';
import { family as pi } from './pi.ts';
import { family as ssh } from './ssh.ts';
import { family as vscode } from './vscode.ts';
import { family as windsurf } from './windsurf.ts';

/** Every family that comes with Tenon. */
export const families: readonly Family[] = [
  agents,
  claude,
  cline,
  codex,
  copilot,
  cursor,
  devin,
  gemini,
  native,
  opencode,
  pi,
  ssh,
  vscode,
  windsurf,
];
