/** An operation as it crosses the boundary: flat, so that it converts quickly. Line 0 means absent. */
export interface RawOp {
  kind: string;
  patchLine: number;
  edge?: string;
  startLine: number;
  startCode: number;
  endLine: number;
  endCode: number;
  payloadStart: number;
  payloadEnd: number;
}

/** A section as it crosses the boundary. */
export interface RawSection {
  path: string;
  ops: RawOp[];
  payload: Uint8Array;
}

/** A patch as it crosses the boundary; `error` is set instead of `sections` when it is malformed. */
export interface RawPatch {
  sections: RawSection[];
  warnings: string[];
  error?: string;
  errorLine: number;
}

/** An outcome as it crosses the boundary; `pieces` is set on success, `code` and `message` on refusal. */
export interface RawOutcome {
  /** Three numbers per piece: 0 (kept) or 1 (inserted), start, end. */
  pieces?: Float64Array;
  inserted?: Uint8Array;
  warnings: string[];
  firstChangedLine: number;
  linesAdded: number;
  linesRemoved: number;
  recovered: boolean;
  code?: string;
  message?: string;
  stale: { patchLine: number; line: number; code: number; now?: number }[];
}

/** The hashline part of the addon. */
export interface HashlineAddon {
  hashlineHash(content: Uint8Array): Uint16Array;
  hashlineFormat(content: Uint8Array, first: number, last: number): Buffer;
  hashlineParse(patch: Uint8Array, fallbackPath?: string): RawPatch;
  hashlineApply(content: Uint8Array, section: RawSection, snapshot?: Uint8Array): RawOutcome;
}
