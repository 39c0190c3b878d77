import { defineErrors } from '@tenon/kernel';

/** What can go wrong between here and another machine. */
export const errors = defineErrors('ssh', {
  SSH_NO_PROGRAM: {
    summary: '`{program}` is not installed on this machine.',
    next: 'Install {package}, then try again.',
    exit: 'unavailable',
  },
  SSH_NO_HOSTS: {
    summary: 'No SSH hosts are known.',
    next: 'Add a `Host NAME` to ~/.ssh/config, or set `ssh.hosts` in your settings.',
    exit: 'config',
  },
  SSH_HOST_NAME: {
    summary: 'There is no SSH host "{host}".{hint}',
    next: 'Use one of these: {hosts}. A new one belongs into ~/.ssh/config or the setting `ssh.hosts`.',
  },
  SSH_HOST_INVALID: {
    summary: 'The SSH host "{host}" of {file} cannot be used: {reason}.',
    next: 'Correct it there.',
    exit: 'config',
  },
  SSH_HOST_UNTRUSTED: {
    summary: 'The SSH host "{host}" comes from {file}, a file of a project that is not trusted.',
    next: 'Look at the file; if it is right, trust the project with `tenon trust add`, or put the host into ~/.ssh/config.',
  },
  SSH_KEY_UNKNOWN: {
    summary: 'The key of the host "{host}" is not known, so nobody can say whether it is the right machine.',
    next: 'Let the user connect once by hand, compare the fingerprint and accept it: `{command}`.',
  },
  SSH_KEY_CHANGED: {
    summary:
      'The key of the host "{host}" is not the one that is known. It may be another machine that pretends to be it.',
    next: 'Let the user find out why. Only if the machine was set up anew: `ssh-keygen -R {target}`, then `{command}`.',
  },
  SSH_DENIED: {
    summary: 'The host "{host}" refuses the login: {reason}.',
    next: 'Check user and key; `{command}` must work without a question. Keys with a passphrase need an agent: `ssh-add`.',
  },
  SSH_UNREACHABLE: {
    summary: 'The host "{host}" cannot be reached: {reason}.',
    next: 'Check that it runs and that its name, port and the network are right: `{command}`.',
    exit: 'unavailable',
  },
  SSH_LOST: {
    summary: 'The connection to "{host}" was lost: {reason}.',
    next: 'What the command did until then is unknown. Look at its state before you run it again.',
  },
  SSH_IDENTITY: {
    summary: 'The key {file} of the host "{host}" cannot be used: {reason}.',
    next: '{todo}',
    exit: 'config',
  },
  SSH_INPUT: {
    summary: '{reason}.',
    next: '{todo}',
  },
  SSH_TIMEOUT: {
    summary: '{what} on "{host}" took longer than {seconds} seconds and was stopped.{output}',
    next: 'Give a longer `timeout`, or run it in the background over there (`nohup … &`) and look at it later.',
    exit: 'limit',
  },
  SSH_SHELL_LATE: {
    summary: 'The login shell on "{host}" did not start within {seconds} seconds. The command was not run.',
    next: 'Let the user look at the start files of the shell over there (~/.bashrc, ~/.zshenv), or give a longer `timeout`.',
    exit: 'limit',
  },
  SSH_TRANSFER: {
    summary: 'Copying failed on "{host}": {reason}.',
    next: 'Check both paths; look at the remote one with `ls -la`.',
  },
  SSH_MOUNT: {
    summary: 'The folder {remote} of "{host}" cannot be mounted: {reason}.',
    next: 'Check the path; without a mount, use `run`, `download` and `upload`.',
  },
  SSH_SOCKET_PATH: {
    summary: 'There is no folder whose path is short enough for the socket of a connection.',
    next: 'Set XDG_RUNTIME_DIR or TMPDIR to a folder with a path of less than 60 characters.',
    exit: 'config',
  },
});
