import { Fields, present } from '../fields.ts';
import type { LspServerConfig } from '../kinds.ts';
import { isRecord, type Origin, type Search } from '../search.ts';

/** Language servers: an object by name. */
export function addLspServers(search: Search<LspServerConfig>, place: Origin, servers: unknown): void {
  if (servers === undefined || servers === null) return;
  if (!isRecord(servers)) return search.wrong(place, 'the language servers must be an object by name');
  for (const [name, record] of Object.entries(servers)) {
    if (!isRecord(record)) {
      search.wrong(place, `the language server "${name}" must be an object`);
      continue;
    }
    addLspServer(search, place, name, record);
  }
}

/** An `lsp.json`: language servers under `servers`, or at its top. */
export async function readLspFile(search: Search<LspServerConfig>, file: Origin): Promise<void> {
  const record = await search.record(file, 'json');
  if (record) addLspServers(search, file, record['servers'] ?? record);
}

function addLspServer(
  search: Search<LspServerConfig>,
  place: Origin,
  name: string,
  record: Readonly<Record<string, unknown>>,
): void {
  const wrong = (what: string) => search.wrong(place, `language server "${name}": ${what}`);
  const fields = new Fields(record, wrong);
  const commandLine = Array.isArray(record['command']) ? fields.list('command') : undefined;
  const command = commandLine ? commandLine[0] : fields.text('command');
  const disabled = fields.flag('disabled');
  if (command === undefined && disabled !== true) return wrong('it has no command');
  const languages = languagesOf(fields, name);
  search.add({
    key: name,
    value: {
      name,
      path: place.path,
      command: command ?? '',
      languages,
      ...present({
        args: commandLine ? commandLine.slice(1) : fields.list('args'),
        env: fields.textRecord('env'),
        rootMarkers: fields.texts('rootMarkers', 'root_markers'),
        initializationOptions: fields.any('initializationOptions', 'initialization', 'initOptions'),
        settings: fields.any('settings'),
        enabled: disabled === undefined ? fields.flag('enabled') : !disabled,
      }),
    },
    place,
    part: name,
  });
}

/** `{ ".ts": "typescript" }`, or a list of extensions that all belong to one language. */
function languagesOf(fields: Fields, name: string): Readonly<Record<string, string>> {
  const mapped = fields.textRecord('extensionToLanguage', 'languages');
  const entries = mapped
    ? Object.entries(mapped)
    : (fields.texts('extensions', 'fileTypes') ?? []).map((end) => [end, fields.text('languageId') ?? name] as const);
  return Object.fromEntries(
    entries.map(([extension, id]) => [extension.startsWith('.') ? extension : `.${extension}`, id]),
  );
}
