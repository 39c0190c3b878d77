import { defineErrors } from '@tenon/kernel';

/** What can go wrong with plugins and tools of OpenCode. */
export const errors = defineErrors('opencode-compat', {
  OPENCODE_LOAD_FAILED: {
    summary: 'The OpenCode {kind} "{module}" ({file}) could not be loaded: {reason}',
    next: 'Correct it, or switch it off with `tenon opencode disable {module}`. `tenon opencode check {module}` loads it alone.',
  },
  OPENCODE_DEPENDENCY: {
    summary: 'The OpenCode {kind} "{module}" needs the package "{missing}", which is not installed.',
    next: 'Run `npm install --ignore-scripts {missing}` in {folder}.',
  },
  OPENCODE_PACKAGE_MISSING: {
    summary: 'The OpenCode plugin "{module}", which {file} names, is not installed.',
    next: 'Start OpenCode once, which installs it, or run `npm install --ignore-scripts {module}` in {folder}.',
  },
  OPENCODE_UNTRUSTED: {
    summary:
      '{folder} brings plugins or tools of OpenCode that were not started, because it is not trusted, or they are not what you trusted: {modules}.',
    next: 'Look at them, then run `tenon trust add {folderWord}` if you trust the folder.',
  },
  OPENCODE_UNSUPPORTED: {
    summary: 'The OpenCode plugin "{module}" uses what Tenon does not have: {what}.',
    next: 'The rest of it works. `tenon read docs://guide/discovery.md` lists the hooks that are called.',
  },
  OPENCODE_HANDLER_FAILED: {
    summary: 'The OpenCode {kind} "{module}" failed at {hook}: {reason}',
    next: 'Correct it, or switch it off with `tenon opencode disable {module}`.',
  },
  OPENCODE_DEADLINE: {
    summary: 'The OpenCode plugin "{module}" did not answer to {hook} within {seconds} s.',
    next: 'Allow more time with `tenon config set opencode-compat.handlerSeconds N`, or switch it off with `tenon opencode disable {module}`.',
  },
  OPENCODE_STOPPED: {
    summary: 'The process of the OpenCode modules {modules} was stopped: {reason}',
    next: 'It starts again on its next use. `tenon opencode disable NAME` switches one of them off.',
  },
  OPENCODE_TOOL_TAKEN: {
    summary: 'The tool "{tool}" of the OpenCode {kind} "{module}" is not used: {owner} has one of the same name.',
    next: 'Rename the tool.',
  },
  OPENCODE_UNKNOWN: {
    exit: 'usage',
    summary: 'There is no OpenCode plugin or tool "{module}".{hint}',
    next: 'Run `tenon opencode list`.',
  },
  OPENCODE_PROJECT_TRUST: {
    exit: 'usage',
    summary: '"{module}" comes with a project, so it always runs in the sandbox.',
    next: 'Allow what it needs with `tenon opencode allow {module}`, or copy it into ~/.config/opencode.',
  },
  OPENCODE_CONFIRM: {
    exit: 'usage',
    summary: 'Nobody can be asked whether {done}.',
    next: 'Run it in a terminal, or add --yes.',
  },
  OPENCODE_NOT_CONFIRMED: { exit: 'usage', summary: 'Nothing was changed.', next: 'Answer y to go on.' },
  OPENCODE_RECORDS_INVALID: {
    summary: 'The decisions about OpenCode modules in {file} cannot be read: {reason}',
    next: 'Correct the file, or delete it: then nothing is granted to them any more.',
  },
});
