import { defineErrors } from '@tenon/kernel';

/** What can go wrong with extensions of pi and oh-my-pi. */
export const errors = defineErrors('pi-compat', {
  PI_COMPAT_NOT_FOUND: {
    summary: 'There is no extension at {path}: {reason}',
    next: 'Name a .ts or .js file, or a folder with an index.ts or a package.json that has `omp.extensions` or `pi.extensions`.',
  },
  PI_COMPAT_LOAD_FAILED: {
    summary: 'The extension "{extension}" ({file}) could not be loaded: {reason}',
    next: 'Correct it, or switch it off with `tenon extension disable {extension}`. `tenon extension check {extension}` loads it alone.',
  },
  PI_COMPAT_DEPENDENCY: {
    summary: 'The extension "{extension}" needs the package "{missing}", which is not installed.',
    next: 'Run `npm install --ignore-scripts --omit=peer` in {folder}.',
  },
  PI_COMPAT_NPM: {
    exit: 'usage',
    summary: 'The package "{package}" could not be installed: {reason}',
    next: 'Check the name with `npm view {package}`, or install it yourself and name its folder with --extension.',
  },
  PI_COMPAT_SEVERAL: {
    exit: 'usage',
    summary: '{path} holds several extensions: {files}',
    next: 'Name one of these files.',
  },
  PI_COMPAT_STOPPED: {
    summary: 'The extension "{extension}" was stopped: {reason}',
    next: 'It starts again on its next use. Switch it off with `tenon extension disable {extension}`.',
  },
  PI_COMPAT_DEADLINE: {
    summary: 'The extension "{extension}" did not answer to {event} within {seconds} s.',
    next: 'Allow more time with `tenon config set pi-compat.handlerSeconds N`, or switch it off with `tenon extension disable {extension}`.',
  },
  PI_COMPAT_HANDLER_FAILED: {
    summary: 'The extension "{extension}" failed at {event}: {reason}',
    next: 'Correct it, or switch it off with `tenon extension disable {extension}`.',
  },
  PI_COMPAT_CONFINED: {
    summary: 'The sandbox kept the extension "{extension}" from something at {event}: {reason}.',
    next: 'If you want that: `tenon extension allow {extension} {flag}`. `tenon extension trust {extension}` runs it without a sandbox.',
  },
  PI_COMPAT_UNTRUSTED: {
    summary:
      '{folder} brings extensions that were not started, because it is not trusted, or they are not what you trusted: {extensions}.',
    next: 'Look at them, then run `tenon trust add {folderWord}` if you trust the folder.',
  },
  PI_COMPAT_TOOL_TAKEN: {
    summary: 'The tool "{tool}" of "{extension}" is not used: {owner} has one of the same name.',
    next: 'Rename the tool.',
  },
  PI_COMPAT_TOOL_SCHEMA: {
    summary: 'The parameters of the tool "{tool}" are not a schema that Tenon understands: {reason}',
    next: 'Write them with pi.zod, with TypeBox, or as JSON Schema.',
  },
  PI_COMPAT_UNSUPPORTED: {
    summary: '{what} is not available to the extension "{extension}".',
    next: '{instead}',
  },
  PI_COMPAT_PROVIDER_REFUSED: {
    summary: 'The provider "{provider}" of "{extension}" is not used: {reason}',
    next: '{instead}',
  },
  PI_COMPAT_VIRTUAL_TAKEN: {
    summary: 'The virtual model "{model}" of "{extension}" is not used: {reason}.',
    next: 'Give it another name in the extension, or switch the other one off.',
  },
  PI_COMPAT_ROUTE_REFUSED: {
    summary: 'The virtual model "{model}" of "{extension}" cannot answer: {reason}.',
    next: '{instead}',
  },
  PI_COMPAT_MCP_REFUSED: {
    summary: 'The MCP server "{server}" of the extension "{extension}" is not used: {reason}.',
    next: '{instead}',
  },
  PI_COMPAT_NO_SESSION: {
    summary: 'The extension "{extension}" called {what} outside of a session.',
    next: 'Call it from an event, a tool or a command.',
  },
  PI_COMPAT_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no extension "{extension}".{hint}',
    next: '`tenon extension list` shows what there is.',
  },
  PI_COMPAT_CONFIRM: {
    summary: 'Nobody is there to confirm that {done}.',
    next: 'Add --yes when you are sure.',
  },
  PI_COMPAT_NOT_CONFIRMED: {
    summary: 'Nothing was changed: it was not confirmed that {done}.',
    next: 'Run the command again and answer with y.',
  },
  PI_COMPAT_PROJECT_TRUST: {
    summary:
      'The extension "{extension}" comes with the project, so it cannot be fully trusted: its code changes with every pull.',
    next: 'Copy it to ~/.omp/agent/extensions, or grant what it needs with `tenon extension allow {extension}`.',
  },
  PI_COMPAT_RECORDS_INVALID: {
    summary: 'The record of trusted extensions, {file}, cannot be used: {reason}',
    next: 'Correct it, or delete it: then every extension runs in the sandbox again.',
  },
});
