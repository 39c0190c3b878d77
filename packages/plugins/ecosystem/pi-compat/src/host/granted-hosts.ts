/** Whether a host was granted, as `net` permissions say it. */
export function isGranted(url: string, granted: readonly string[]): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, host } = new URL(url);
  return granted.some((rule) => {
    const plain = rule.replace(/^private:/, '').toLowerCase();
    if (plain.startsWith('*.')) return hostname.endsWith(plain.slice(1));
    return plain === hostname || plain === host;
  });
}
