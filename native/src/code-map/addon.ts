import type { CancelHandle } from '../addon.ts';

/** The map of one tree; questions and answers are JSON text. */
export interface NativeCodeMap {
  map(request: string, cancel?: CancelHandle): Promise<string>;
  close(): Promise<boolean>;
}

/** The raw exports of the addon for maps of code. */
export interface CodeMapAddon {
  readonly NativeCodeMap: new (
    root: string,
    store: string | undefined,
    maxFileBytes: number,
    maxFiles: number,
    watch: boolean,
  ) => NativeCodeMap;
}
