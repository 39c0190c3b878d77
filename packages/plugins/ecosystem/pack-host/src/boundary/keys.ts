/** Keys that mean something to others: a pack cannot have them, even where nobody has them yet. */

/** Words of a command line, and inputs of tools, that look like URLs of a scheme are shown to whoever owns it, passwords and all. */
const WELL_KNOWN =
  /^(?:file|data|blob|about|javascript|mailto|tel|https?|wss?|ftps?|sftp|ssh|scp|git|svn|hg|ldaps?|smb|nfs|rsync|s3|gs|gcs|az|abfss?|hdfs|docker|oci|npm|jdbc|odbc|postgres(?:ql)?|mysql|mariadb|mssql|sqlserver|oracle|mongodb|rediss?|memcached|amqps?|kafka|nats|mqtts?|stomp|grpcs?|tcp|udp|unix|vscode|chrome|bitcoin|magnet)(?:[+.-].*)?$/;

const PLAIN_NAME = /^[a-z0-9][a-z0-9.-]*$/i;
/** What is called by its pack, so that a list or a setting says whose it is. */
const OWN_NAMES: ReadonlyMap<string, string> = new Map([
  ['keybindings', 'action'],
  ['status-items', 'part of the status line'],
]);

/** Why a pack may not use a key of a slot, if so. */
export function keyProblem(slot: string, key: string, plugin: string): string | undefined {
  // Policies speak of the tools of a server by this name.
  if (slot === 'tools' && key.startsWith('mcp__')) return `its tool "${key}" is called like one of an MCP server`;
  // All are shown in lists.
  if (OWN_NAMES.has(slot) && !(key.startsWith(`${plugin}.`) && PLAIN_NAME.test(key)))
    return `its ${OWN_NAMES.get(slot)} "${key}" is not called "${plugin}.…"`;
  if (slot === 'screen-themes' && !PLAIN_NAME.test(key))
    return `its theme "${key}" has other characters than a-z, 0-9, . and -`;
  if (slot !== 'url-schemes' || key === '*') return undefined;
  const isOwn = key === plugin || ['-', '+', '.'].some((mark) => key.startsWith(plugin + mark));
  if (isOwn && !WELL_KNOWN.test(key)) return undefined;
  return `its URL scheme "${key}" does not begin with "${plugin}", or is one that others use`;
}
