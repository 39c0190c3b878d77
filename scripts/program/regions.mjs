/** Which modules of the program are loaded together: `quick-program.mjs` makes one script of each region. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const plugin = (name) => `packages/plugins/${name}/src/plugin.ts`;

/**
 * What is loaded together, each with all that it imports by a statement: such modules form one script, because a hundred small ones take longer to
 * load. What every command needs comes first, then what a screen needs until its first frame, and what a prompt needs until its first request.
 */
const REGIONS = [
  [
    'packages/cli/src/shell.ts',
    ...[
      'foundation/command-line',
      'foundation/settings',
      'foundation/settings-files',
      'ecosystem/packs',
      'modes/modes',
    ].map(plugin),
    'packages/plugins/modes/modes/src/run-mode.ts',
  ],
  [
    plugin('modes/interactive-mode'),
    'packages/plugins/modes/interactive-mode/src/interactive.ts',
    'native/src/text/js.ts',
  ],
  [
    'packages/sdk/src/generated/prompt-plugins.ts',
    'packages/plugins/modes/print-mode/src/print.ts',
    'packages/plugins/modes/print-mode/src/text-output.ts',
    'packages/plugins/models/models/src/generated/catalogue.json',
    'packages/plugins/models/providers/src/direct/speaker.ts',
    ...['anthropic-messages', 'openai-completions', 'openai-responses'].map(
      (name) => `packages/plugins/models/providers/src/dialects/${name}.ts`,
    ),
    ...[
      'safety/approval',
      'safety/sandbox',
      'safety/undo',
      'senses/code-map',
      'senses/memory',
      'senses/vision',
      'workers/irc',
    ].map(plugin),
    'packages/plugins/ecosystem/external-hooks/src/engine.ts',
    ...['conversation', 'sessions', 'tools'].map(
      (name) => `packages/plugins/ecosystem/external-hooks/src/moments/${name}.ts`,
    ),
    'packages/plugins/ecosystem/opencode-compat/src/host/manager.ts',
    'packages/plugins/ecosystem/pi-compat/src/host/manager.ts',
  ],
];

/**
 * What a prompt really uses of its modules, as `record-prompt.mjs` saw it: until its first request, and afterwards until its end with a call of a tool.
 * @returns {{ untilRequest: string[], afterwards: string[] }}
 */
export function recordedPrompt() {
  return JSON.parse(readFileSync(new URL('prompt-modules.json', import.meta.url), 'utf8'));
}

/**
 * The regions of the program. A script is read and given to V8 as a whole, so what a prompt does not use is apart from what it does: two thirds of the text.
 * @param {string} root @param {import('./modules.mjs').Modules['outputs']} outputs
 * @returns {{ name: string, members: string[], isRare?: boolean }[]} `isRare`: a prompt does without it
 */
export function regionsOf(root, outputs, { untilRequest, afterwards } = recordedPrompt()) {
  const [common, screen, prompt] = reachableRegions(root, outputs);
  const [first, later] = [new Set(untilRequest), new Set(afterwards)];
  const among = (names, sources) => names.filter((name) => sources.has(sourceOf(outputs.get(name))));
  const others = (names) =>
    names.filter((name) => !first.has(sourceOf(outputs.get(name))) && !later.has(sourceOf(outputs.get(name))));
  return [
    { name: 'every command', members: among(common, first) },
    { name: 'until the first request', members: [...among(prompt, first), ...among(screen, first)] },
    {
      name: 'after the first request',
      members: [...among(prompt, later), ...among(screen, later), ...among(common, later)],
    },
    { name: 'some commands', members: others(common), isRare: true },
    { name: 'screen', members: others(screen), isRare: true },
    { name: 'some prompts', members: others(prompt), isRare: true },
  ];
}

/** The file that a module was made of, or the largest of them. @param {import('./modules.mjs').Output | undefined} output */
export function sourceOf({ entryPoint, inputs = {} } = {}) {
  const [largest] = Object.entries(inputs).toSorted(([, one], [, other]) => other.bytesInOutput - one.bytesInOutput);
  return entryPoint ?? largest?.[0] ?? 'helpers';
}

/** The modules that the regions can reach by statements, none of them twice. @param {string} root @param {import('./modules.mjs').Modules['outputs']} outputs */
export function reachableRegions(root, outputs) {
  const entries = new Map([...outputs].map(([name, { entryPoint }]) => [entryPoint, name]));
  const taken = new Set();
  return REGIONS.map((sources) => {
    const names = new Set();
    // The small checkouts of the launcher's tests have only some of them.
    for (const source of sources.filter((path) => existsSync(join(root, path)))) {
      const name = entries.get(source);
      if (name === undefined)
        throw new Error(`${source} is no module of its own: mend REGIONS in scripts/program/regions.mjs`);
      names.add(name);
    }
    for (const name of names) {
      for (const { path, kind, external } of outputs.get(name)?.imports ?? [])
        if (!external && kind === 'import-statement') names.add(path);
    }
    const own = [...names].filter((name) => !taken.has(name) && !isRare(outputs.get(name)));
    for (const name of own) taken.add(name);
    return own;
  });
}

/** A large package that is needed for some files only. @param {import('./modules.mjs').Output | undefined} output */
function isRare(output) {
  const inputs = Object.keys(output?.inputs ?? {});
  return inputs.length > 0 && inputs.every((path) => RARE.test(path));
}

const RARE = /^node_modules\/yaml\//;
