import { defineErrors } from '@tenon/kernel';

/** What can go wrong between here and a forge. */
export const errors = defineErrors('github', {
  GITHUB_INPUT: { summary: '{reason}.', next: '{todo}' },
  GITHUB_NO_REPOSITORY: {
    summary: 'It is not known which repository is meant: {reason}.',
    next: 'Give `repo` as "owner/name", or work in a checkout that has a remote on the server.',
  },
  GITHUB_HOST_UNKNOWN: {
    summary: 'The remote of this repository is on {host}, which is not a known server.',
    next: 'If it is GitHub Enterprise, Gitea or GitLab, the user can name it: `tenon config set github.hosts \'{"{host}": {"forge": "github"}}\'`.',
    exit: 'config',
  },
  GITHUB_FORGE_UNKNOWN: {
    summary: 'The setting github.hosts has the forge "{forge}" for {host}, which does not exist.',
    next: 'Use one of these: {forges}.',
    exit: 'config',
  },
  GITHUB_API_ADDRESS: {
    summary: 'The API address "{api}" of {host} cannot be used: {reason}.',
    next: 'Correct the setting github.hosts: an address that starts with https://.',
    exit: 'config',
  },
  GITHUB_UNSUPPORTED: {
    summary: '`{op}` is not there for {forge}.',
    next: 'Do it on the website, or with the command line of the server.',
  },
  GITHUB_NO_TOKEN: {
    summary: '{host} wants a login for this, and there is no token for it.',
    next: 'The user can log in with {ways}.',
    exit: 'config',
  },
  GITHUB_TOKEN_REFUSED: {
    summary: '{host} does not accept the token ({from}): {reason}.',
    next: 'The user can make a new one, then {ways}.',
    exit: 'config',
  },
  GITHUB_FORBIDDEN: {
    summary: '{host} refuses this: {reason}.',
    next: 'The token ({from}) may lack a permission, or the organization wants single sign-on{sso}. Ask the user.',
  },
  GITHUB_NOT_FOUND: {
    summary: '{host} knows no {what}.',
    next: 'Check the names. A private repository looks like a missing one to a token that may not see it ({from}).',
  },
  GITHUB_REFUSED: {
    summary: '{host} refuses what was sent: {reason}.',
    next: 'Correct it and try again.',
  },
  GITHUB_RATE_LIMIT: {
    summary: 'The {kind} rate limit of {host} is reached{from}; it takes {seconds} seconds until more is allowed.',
    next: 'Try again after {until}, or ask for less at a time.',
    exit: 'limit',
  },
  GITHUB_SERVER: {
    summary: '{host} cannot answer just now ({status}).{reason}',
    next: 'Try again in a minute.',
    exit: 'unavailable',
  },
  GITHUB_UNREACHABLE: {
    summary: '{host} cannot be reached: {reason}.',
    next: 'Check the network and the address of the server.',
    exit: 'unavailable',
  },
  GITHUB_REDIRECT: {
    summary: '{host} sends on to {to}, which is not followed: {reason}.',
    next: 'Use the new name of the repository if it was renamed.',
  },
  GITHUB_ANSWER: {
    summary: '{host} gave an answer that is not understood: {reason}.',
    next: 'Check that the server is a {forge} and that github.hosts names the right API address.',
  },
  GITHUB_TOO_LARGE: {
    summary: 'The answer of {host} is larger than {limit}.',
    next: 'Ask for a part: one file of a diff (`path`), or a checkout (`pr_checkout`).',
    exit: 'limit',
  },
  GITHUB_GIT: {
    summary: '`git {command}` failed: {reason}.',
    next: '{todo}',
  },
  GITHUB_GIT_SETTINGS: {
    summary: 'The settings of this repository name programs that git would run outside of the sandbox: {names}.',
    next: 'The user can look at `git config --local --list` and trust the folder with `tenon trust add`.',
  },
  GITHUB_BRANCH_TAKEN: {
    summary: 'The branch {branch} exists already at another commit ({present}) than the pull request ({wanted}).',
    next: 'Set `force` to reset it; commits that are only there are lost then.',
  },
  GITHUB_PLACE_TAKEN: {
    summary: 'The folder {path} for the pull request is not free: {reason}.',
    next: 'Move it away, or remove it if nobody needs it.',
  },
  GITHUB_NOT_A_PULL_BRANCH: {
    summary: 'The branch {branch} was not made by `pr_checkout`, so it is not known where it belongs.',
    next: 'Check the pull request out first, or push with git.',
  },
});
