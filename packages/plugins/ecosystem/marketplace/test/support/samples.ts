/** Plugins and catalogues to install. */

/** A plugin with a skill, a command, a hook and an MCP server. */
export function fullPlugin(
  options: { readonly version?: string; readonly extra?: Readonly<Record<string, string>> } = {},
): Record<string, string> {
  return {
    '.claude-plugin/plugin.json': JSON.stringify({
      name: 'helper',
      version: options.version ?? '1.0.0',
      description: 'Helps.',
    }),
    'skills/review/SKILL.md': '---\nname: review\ndescription: Reviews code when asked.\n---\nRead the diff.\n',
    'commands/greet.md': '---\ndescription: Greets\n---\nSay hello to $1.\n',
    'hooks/hooks.json': JSON.stringify({
      hooks: {
        PreToolUse: [
          { matcher: 'Bash', hooks: [{ type: 'command', command: '"${CLAUDE_PLUGIN_ROOT}/hooks/check.sh"' }] },
        ],
      },
    }),
    'hooks/check.sh': '#!/bin/sh\nexit 0\n',
    '.mcp.json': JSON.stringify({
      mcpServers: { notes: { command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/server.mjs'] } },
    }),
    'server.mjs': 'process.stdin.resume();\n',
    ...options.extra,
  };
}

/** A plugin that only informs the model. */
export function quietPlugin(version = '1.0.0', text = 'Think first.'): Record<string, string> {
  return {
    '.claude-plugin/plugin.json': JSON.stringify({ name: 'quiet', version }),
    'skills/think/SKILL.md': `---\nname: think\ndescription: Thinks.\n---\n${text}\n`,
  };
}

/** Files below a folder. */
export function below(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
}

/** A catalogue. */
export function catalogue(plugins: readonly unknown[], fields: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ name: 'acme', owner: { name: 'Acme' }, plugins, ...fields });
}

/** The files of a marketplace whose plugins lie beside its catalogue. */
export function marketplace(
  plugins: Readonly<Record<string, Readonly<Record<string, string>>>>,
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, string> {
  const entries = Object.keys(plugins).map((name) => ({
    name,
    source: `./plugins/${name}`,
    description: `The ${name}`,
  }));
  const files = Object.entries(plugins).flatMap(([name, content]) => Object.entries(below(`plugins/${name}`, content)));
  return { '.claude-plugin/marketplace.json': catalogue(entries, fields), ...Object.fromEntries(files) };
}
