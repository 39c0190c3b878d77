/** Undoes a registration. Disposing twice does nothing the second time. */
export interface Disposable {
  dispose(): void | Promise<void>;
}

/** A disposable that runs `undo` at most once. */
export function disposable(undo: () => void | Promise<void>): Disposable {
  let pending: (() => void | Promise<void>) | undefined = undo;
  return {
    dispose() {
      const run = pending;
      pending = undefined;
      return run?.();
    },
  };
}
