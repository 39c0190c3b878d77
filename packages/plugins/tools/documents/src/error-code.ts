/** The code of an error of Node, such as `ENOENT`; empty for others. A DOMException has a number there. */
export function errorCode(fault: unknown): string {
  const code: unknown = fault instanceof Error ? (fault as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : '';
}
