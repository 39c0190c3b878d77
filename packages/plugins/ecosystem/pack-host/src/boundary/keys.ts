/** Keys that mean something to others: a pack cannot have them, even where nobody has them yet. */

/** Words of a command line, and inputs of tools, that look like URLs of a scheme are shown to whoever owns it, passwords and all. */
const WELL_KNOWN =
  /^(?:file|data|blob|about|javascript|mailto|tel|https?|wss?|ftps?|sftp|ssh|scp|git|svn|hg|ldaps?|smb|nfs|rsync|s3|gs|gcs|az|abfss?|hdfs|docker|oci|npm|jdbc|odbc|postgres(?:ql)?|mysql|mariadb|mssql|sqlserver|oracle|mongodb|rediss?|memcached|amqps?|kafka|nats|mqtts?|stomp|grpcs?|tcp|udp|unix|vscode|chrome|bitcoin|magnet)(?:[+.-].*)?$/;

/** Why a pack may not use a key of a slot, if so. */
export function keyProblem(slot: string, key: string, plugin: string): string | undefined {
  // Policies speak of the tools of a server by this name.
  if (slot === 'tools' && key.startsWith('mcp__')) return `its tool "${key}" is called like one of an MCP server`;
  if (slot !== 'url-schemes' || key === '*') return undefined;
  const isOwn = key === plugin || ['-', '+', '.'].some((mark) => key.startsWith(plugin + mark));
  if (isOwn && !WELL_KNOWN.test(key)) return undefined;
  return `its URL scheme "${key}" does not begin with "${plugin}", or is one that others use`;
}
