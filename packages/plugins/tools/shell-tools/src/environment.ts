import type { Confinement } from '@tenon/sandbox/api';

/** What keeps programs from waiting for somebody who is not there: no pagers, no editors, no questions, no colours. */
const UNATTENDED: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  SSH_ASKPASS: '/bin/false',
  DEBIAN_FRONTEND: 'noninteractive',
  PIP_NO_INPUT: '1',
  npm_config_yes: 'true',
  CI: '1',
  TERM: 'dumb',
  NO_COLOR: '1',
};

/** The environment of a session's shell. */
export function shellEnvironment(
  own: NodeJS.ProcessEnv,
  { ci }: { readonly ci: boolean },
): Record<string, string | undefined> {
  return { ...own, ...UNATTENDED, ...(!ci && { CI: own['CI'] }) };
}

/** Package managers that give up without their cache, which lies in the user's home. */
const CACHES: Readonly<Record<string, string>> = {
  npm_config_cache: 'npm',
  YARN_CACHE_FOLDER: 'yarn',
  YARN_GLOBAL_FOLDER: 'yarn-global',
  BUN_INSTALL_CACHE_DIR: 'bun',
  UV_CACHE_DIR: 'uv',
  COMPOSER_CACHE_DIR: 'composer',
};

/** What programs need that may use the network and write nothing of the user's: caches of their own, where theirs are closed. */
export function networkEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  { refuses }: Pick<Confinement, 'refuses'>,
): Record<string, string> {
  const isOpen = (name: string) => own[name] !== undefined && !refuses('write', own[name]);
  const closed = Object.entries(CACHES).filter(([name]) => !isOpen(name));
  return Object.fromEntries(
    closed.map(([name, folder]) => [name, `${own['TMPDIR'] ?? '/tmp'}/tenon-caches/${folder}`]),
  );
}
