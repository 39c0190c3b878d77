/** A promise that somebody else fulfils. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

/** Makes one. */
export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => void (resolve = done));
  return { promise, resolve: (value) => resolve(value) };
}
