/** What Claude Code's settings switch off. */
import * as d from '@tenon/discovery/api';

type Refusal = (name: string) => string | undefined;

/** Why an installed plugin is not used: the first settings file that says something about it decides. */
export async function enabledPlugins(search: d.Search<d.Bundle>, files: readonly d.Place[]): Promise<Refusal> {
  const said: { readonly file: string; readonly plugins: Readonly<Record<string, unknown>> }[] = [];
  for (const file of files) {
    const plugins = (await search.record(file, 'json'))?.['enabledPlugins'];
    if (d.isRecord(plugins)) said.push({ file: file.path, plugins });
    else if (plugins !== undefined) search.wrong(file, '"enabledPlugins" must be an object by name');
  }
  return (id) => {
    const deciding = said.find(({ plugins }) => plugins[id] !== undefined);
    return deciding?.plugins[id] === false ? `switched off by "enabledPlugins" in ${deciding.file}` : undefined;
  };
}

/** Why a server of a project's `.mcp.json` is not used: a settings file refuses it. */
export async function mcpJsonRefusal(
  search: d.Search<d.McpServerConfig>,
  files: readonly d.Place[],
  state: Readonly<Record<string, unknown>> | undefined,
): Promise<Refusal> {
  const refused = new Map<string, string>();
  const note = (names: unknown, where: string) => {
    if (Array.isArray(names)) for (const name of names) refused.set(String(name), where);
  };
  for (const file of files) note((await search.record(file, 'json'))?.['disabledMcpjsonServers'], file.path);
  const projects = state?.['projects'];
  for (const folder of search.project.folders) {
    const project = d.isRecord(projects) ? projects[folder] : undefined;
    if (d.isRecord(project)) note(project['disabledMcpjsonServers'], '~/.claude.json');
  }
  return (name) => {
    const where = refused.get(name);
    return where === undefined ? undefined : `switched off by "disabledMcpjsonServers" in ${where}`;
  };
}
