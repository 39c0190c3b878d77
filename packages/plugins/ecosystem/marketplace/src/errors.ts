import { defineErrors } from '@tenon/kernel';

/** Every error that marketplaces and what is installed from them raise. */
export const errors = defineErrors('marketplace', {
  MARKETPLACE_NAME_INVALID: {
    summary: '"{name}" cannot be the name of a {what}: {reason}.',
    next: 'Names are lower-case letters, digits, dashes and dots, and start and end with a letter or digit; 64 at most. A marketplace can be added under another name with `--name NAME`.',
  },
  MARKETPLACE_SOURCE_INVALID: {
    exit: 'usage',
    summary: '"{source}" cannot be used as a source: {reason}.',
    next: 'Write OWNER/REPO, an https address of a git repository or of a .json catalogue, git@HOST:PATH, or a folder.',
  },
  MARKETPLACE_CATALOGUE_INVALID: {
    summary: 'The catalogue {file} cannot be used: {reason}.',
    next: 'Tell its author; `tenon read docs://guide/marketplace.md` describes the format.',
  },
  MARKETPLACE_CATALOGUE_MISSING: {
    summary: 'The catalogue of marketplace "{marketplace}" is not here: {reason}.',
    next: 'Fetch it with `tenon marketplace update {marketplace}`.',
  },
  MARKETPLACE_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no marketplace "{marketplace}".{hint}',
    next: 'See `tenon marketplace list`, or add one with `tenon marketplace add SOURCE`.',
  },
  MARKETPLACE_TAKEN: {
    summary: 'A marketplace "{marketplace}" was already added, from {source}.',
    next: 'Update it with `tenon marketplace update {marketplace}`, or remove it first.',
  },
  MARKETPLACE_RENAMED: {
    summary: 'The catalogue of marketplace "{marketplace}" now calls itself "{name}". It was not updated.',
    next: 'If that is right, remove the marketplace and add it again.',
  },
  MARKETPLACE_IN_USE: {
    summary: 'Marketplace "{marketplace}" is not removed: {plugins} came from it.',
    next: 'Uninstall them first, or add --force to keep them without updates.',
  },
  MARKETPLACE_NO_PROJECT: {
    summary: 'There is no project here, so nothing can be kept in its .tenon folder.',
    next: 'Go to a project, or use --scope user.',
  },
  MARKETPLACE_PLUGIN_UNKNOWN: {
    exit: 'usage',
    summary: 'No marketplace has a plugin "{plugin}".{hint}',
    next: 'See what there is with `tenon plugin discover`; `tenon marketplace update` fetches newer catalogues.',
  },
  MARKETPLACE_PLUGIN_AMBIGUOUS: {
    summary: 'Several plugins are called "{plugin}": {choices}.',
    next: 'Write the one that you mean in full.',
  },
  MARKETPLACE_NOT_INSTALLED: {
    summary: 'Plugin "{plugin}" is not installed{where}.{hint}',
    next: 'See what is installed with `tenon plugin installed`.',
  },
  MARKETPLACE_ALREADY_INSTALLED: {
    summary: 'Plugin "{plugin}" {version} is already installed for the {scope}.',
    next: 'Use `tenon plugin upgrade {plugin}` for a newer version, or add --force to install it again.',
  },
  MARKETPLACE_NO_PREVIOUS: {
    summary: 'There is no earlier version of "{plugin}" to go back to.',
    next: 'Only the version before the last upgrade is kept.',
  },
  MARKETPLACE_GIT_FAILED: {
    summary: 'git could not {what} {url}: {reason}',
    next: 'Check the address and the network, and that `git ls-remote` works for it without asking for a password.',
  },
  MARKETPLACE_GIT_MISSING: {
    summary: 'git is needed for {url}, and cannot be started: {reason}',
    next: 'Install git, or use a marketplace in a folder.',
  },
  MARKETPLACE_FETCH_FAILED: {
    summary: '{url} could not be fetched: {reason}.',
    next: 'Check the address and the network; --offline uses what was fetched before.',
  },
  MARKETPLACE_OFFLINE: {
    summary: '{what} was not fetched before, so it cannot be used offline.',
    next: 'Run the command again without --offline.',
  },
  MARKETPLACE_COMMIT_MISSING: {
    summary: '{url} has no commit {commit}.',
    next: 'Tell the author of the catalogue: the commit it names is gone.',
  },
  MARKETPLACE_NPM_INVALID: {
    summary: 'Package {package} cannot be used: {reason}.',
    next: 'Check its name and version in the catalogue, and the registry with `npm config get registry`.',
  },
  MARKETPLACE_INTEGRITY: {
    summary: 'What came for {what} is not what was promised: {reason}. Nothing was installed.',
    next: 'Try again; if it stays so, somebody changed it on the way or at its origin. Tell its author.',
  },
  MARKETPLACE_SIGNATURE: {
    summary: 'The signature of {what} is bad: {reason}. Nothing was changed.',
    next: 'Do not use it. Ask its author, over another way, for the right key or a new signature.',
  },
  MARKETPLACE_HOSTILE: {
    summary: '{what} is refused: {reason}.',
    next: 'Tell its author. Nothing of it was installed.',
  },
  MARKETPLACE_PLUGIN_INVALID: {
    summary: 'Plugin "{plugin}" cannot be installed: {reason}.',
    next: 'Tell its author.',
  },
  MARKETPLACE_LOCK_INVALID: {
    summary: '{file} is damaged: {reason}.',
    next: 'Correct the file, restore it from version control, or remove it and install its plugins again.',
  },
  MARKETPLACE_CHANGED_MEANWHILE: {
    summary: 'Plugin "{plugin}" was changed by another process in the meantime. Nothing was done.',
    next: 'Run the command again.',
  },
  MARKETPLACE_TAMPERED: {
    summary: 'Plugin "{plugin}" is disabled, because its files are not what was installed: {files}.',
    next: 'Put it right with `tenon plugin install --restore`, and find out who changed it.',
  },
  MARKETPLACE_NOT_HERE: {
    summary: 'This project uses the plugin "{plugin}" {version} ({lock}), which is not installed on this machine.',
    next: 'Look at it and install it with `tenon plugin install --restore`.',
  },
  MARKETPLACE_CONFIRM: {
    summary: 'Nobody can answer here, so nothing was {done}.',
    next: 'Look at what is shown above, then run the command again with {flags}.',
  },
  MARKETPLACE_REFUSED: {
    summary: 'Nothing was {done}.',
    next: 'Run the command again if you change your mind.',
  },
  MARKETPLACE_KEY_INVALID: {
    summary: '"{key}" is not a minisign public key: {reason}.',
    next: 'Give the second line of the .pub file, which starts with RW.',
  },
  MARKETPLACE_UNREADABLE: {
    summary: '{file} cannot be read: {reason}.',
    next: 'Correct its permissions, or remove it.',
  },
});
