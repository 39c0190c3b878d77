/** While the screen is open nothing else may write on it: what libraries print becomes a notice. */

/** Takes what is written to standard error, except while the terminal is somebody else's; the result gives it back. */
export function guardErrorOutput(
  onText: (text: string) => void,
  isHandedOver: () => boolean,
  stream: NodeJS.WriteStream = process.stderr,
): () => void {
  const before = stream.write.bind(stream);
  let rest = '';
  stream.write = ((chunk: string | Uint8Array, encoding?: unknown, done?: unknown) => {
    if (isHandedOver()) return (before as (...words: unknown[]) => boolean)(chunk, encoding, done);
    const lines = (rest + (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'))).split('\n');
    rest = lines.pop() ?? '';
    const text = lines.join('\n').trim();
    if (text !== '') onText(text);
    const callback = typeof encoding === 'function' ? encoding : done;
    if (typeof callback === 'function') queueMicrotask(() => (callback as () => void)());
    return true;
  }) as NodeJS.WriteStream['write'];
  return () => {
    stream.write = before;
    if (rest.trim() !== '') onText(rest.trim());
  };
}
