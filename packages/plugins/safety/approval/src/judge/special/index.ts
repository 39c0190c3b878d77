/** Checks that a table cannot hold, by the names that rules use. */
import type { SpecialName } from '../rules/rule.ts';
import { awk, dd, find, sed, tar } from './text-and-files.ts';
import { chmod, rm } from './deletion.ts';
import { git, gitCheckout, gitConfig, gitPush } from './git.ts';
import type { Special } from './special.ts';
import { containerRun, kill, remoteShell, request, rsync, sql, taskName, web } from './systems.ts';

/** All of them. */
export const SPECIALS: Readonly<Record<SpecialName, Special>> = {
  rm,
  find,
  git,
  'git-config': gitConfig,
  'git-push': gitPush,
  'git-checkout': gitCheckout,
  dd,
  chmod,
  kill,
  sed,
  awk,
  tar,
  web,
  sql,
  'container-run': containerRun,
  'task-name': taskName,
  'remote-shell': remoteShell,
  rsync,
  request,
};
