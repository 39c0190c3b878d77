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
export function shellEnvironment(own: NodeJS.ProcessEnv): Record<string, string | undefined> {
  return { ...own, ...UNATTENDED };
}
