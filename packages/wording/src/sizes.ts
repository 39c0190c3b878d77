/** The text, or its first characters and `…`. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = text.charCodeAt(maxChars - 1);
  return `${text.slice(0, half >= 0xd800 && half < 0xdc00 ? maxChars - 1 : maxChars)}…`;
}

/** A whole number as people write it: `12,345`. `toLocaleString` gives the same, and loads five megabytes of tables for it. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A size as people write it. */
export function byteText(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(1)}${units[unit]}`;
}
