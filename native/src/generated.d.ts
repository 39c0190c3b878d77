/** Given to a native call by its JavaScript wrapper, which cancels it when the caller's AbortSignal fires. */
export declare class CancelHandle {
  /** Without a limit the work only stops when `cancel` is called. */
  constructor(timeoutMs?: number | undefined | null)
  /** Asks the work to stop at its next heartbeat. */
  cancel(): void
}

/** The map of one tree; nothing is read before the first question. */
export declare class NativeCodeMap {
  /** The index is kept in the file `store`, if any. */
  constructor(root: string, store: string | undefined | null, maxFileBytes: number, maxFiles: number, watch: boolean)
  /** Brings the index up to date and answers. */
  map(request: string, cancel?: CancelHandle | undefined | null): Promise<string>
  /** Writes what is not on disk yet, and stops watching. */
  close(): Promise<boolean>
}

/** A program on a terminal of its own. */
export declare class NativePty {
  constructor(options: ShellPtyOptions, onEvent: (arg: ShellEvent) => void)
  write(data: Uint8Array): boolean
  resize(columns: number, rows: number): void
  signal(signal: number): void
  /** The memory of all output; slots are `slotBytes` long. */
  slab(): Buffer
  slotBytes(): number
  /** Gives a slot back, which lets more output come. */
  release(slot: number): void
  close(): void
}

/** A persistent shell. Output and results arrive through the callback given at the start. */
export declare class NativeShellSession {
  constructor(options: ShellSessionOptions, onEvent: (arg: ShellEvent) => void)
  run(request: ShellRunRequest): void
  cancel(id: number): void
  /** The memory of all output; slots are `slotBytes` long. */
  slab(): Buffer
  slotBytes(): number
  /** Gives a slot back, which lets more output come. */
  release(slot: number): void
  background(): Array<ShellProcess>
  signalBackground(pid: number, signal: number): boolean
  close(): void
}

/** Watches of a set of folders; nothing happens in the background. */
export declare class ScanTreeWatch {
  /** Watches a folder and those below it that are named, each followed by NUL. */
  constructor(root: string, folders: Buffer)
  /** Whether everything is watched. */
  isLive(): boolean
  /** Whether nothing happened since this was asked last. */
  isUnchanged(): boolean
  /** Whether folders came, went or were moved since, so that others must be watched. */
  isOutdated(): boolean
  /** Ends the watching. */
  close(): void
}

/** Works off-thread until it is cancelled and answers nothing: the tests of abort and timeout need such a call. */
export declare function __beatForTests(cancel?: CancelHandle | undefined | null): Promise<unknown>

/** Panics off-thread on purpose: the loader's tests prove with it that a panic becomes a rejected promise. */
export declare function __panicForTests(): Promise<unknown>

/** Applies one section. */
export declare function hashlineApply(content: Uint8Array, section: HashlineSection, snapshot?: Uint8Array | undefined | null): HashlineOutcome

/** The lines `first..=last` with their anchors. */
export declare function hashlineFormat(content: Uint8Array, first: number, last: number): Buffer

/** The anchor codes of all lines. */
export declare function hashlineHash(content: Uint8Array): Uint16Array

/** One operation; lines count from 1, and 0 stands for "before the first" (BOF) or, with `eof`, "after the last". */
export interface HashlineOp {
  kind: string
  patchLine: number
  edge?: string
  startLine: number
  startCode: number
  endLine: number
  endCode: number
  payloadStart: number
  payloadEnd: number
}

/** The new content, or the refusal. */
export interface HashlineOutcome {
  /** Three numbers per piece: 0 (kept) or 1 (inserted), start, end. One list converts quicker than many objects. */
  pieces?: Float64Array
  inserted?: Uint8Array
  warnings: Array<string>
  firstChangedLine: number
  linesAdded: number
  linesRemoved: number
  recovered: boolean
  code?: string
  message?: string
  stale: Array<HashlineStale>
}

/** Reads a patch. */
export declare function hashlineParse(patch: Uint8Array, fallbackPath?: string | undefined | null): HashlinePatch

/** A patch, or why it cannot be understood. */
export interface HashlinePatch {
  sections: Array<HashlineSection>
  warnings: Array<string>
  error?: string
  errorLine: number
}

/** All operations for one file. */
export interface HashlineSection {
  path: string
  ops: Array<HashlineOp>
  payload: Uint8Array
}

/** An anchor that does not fit. */
export interface HashlineStale {
  patchLine: number
  line: number
  code: number
  now?: number
}

/** Reads the header of a picture. */
export declare function imagesFacts(bytes: Uint8Array, cancel?: CancelHandle | undefined | null): Promise<RawImageFacts>

/** Makes a picture fit. */
export declare function imagesFit(bytes: Uint8Array, maxSide: number, maxBytes: number, maxPixels: number, cancel?: CancelHandle | undefined | null): Promise<RawFittedImage>

/** Gives memory that a waiting process does not need back to the system; the bytes of code that are no longer mapped. */
export declare function memoryRelease(): number

/** One cached scan. */
export interface RawCacheLine {
  root: string
  policy: RawPolicy
  entries: number
  directories: number
  bytes: number
  ageMs: number
  /** `not-yet`, `arming`, `live` or `off`. */
  watch: string
  reason?: string
}

/** A picture that fits; `bytes` is absent when it fits as it is. */
export interface RawFittedImage {
  bytes?: Buffer
  mimeType: string
  width: number
  height: number
  originalWidth: number
  originalHeight: number
}

/** One ranked path. */
export interface RawFuzzyHit {
  path: string
  kind: number
  score: number
}

/** A fuzzy request; the JavaScript side fills in all defaults. */
export interface RawFuzzyRequest {
  path: string
  query: string
  policy: RawPolicy
  cache: boolean
  kind?: number
  limit: number
}

/** The ranked paths. */
export interface RawFuzzyResult {
  hits: Array<RawFuzzyHit>
  total: number
  problems: Array<RawProblem>
  problemCount: number
  scan?: RawScanInfo
}

/** A glob request; the JavaScript side fills in all defaults. */
export interface RawGlobRequest {
  path: string
  patterns: Array<string>
  policy: RawPolicy
  cache: boolean
  kind?: number
  limit: number
  newestFirst: boolean
  times: boolean
}

/** A packed glob answer. */
export interface RawGlobResult {
  paths: Buffer
  kinds: Buffer
  times?: Float64Array
  total: number
  problems: Array<RawProblem>
  problemCount: number
  scan?: RawScanInfo
}

/** The lines of some files. */
export interface RawGrepChunk {
  lines: Uint32Array
  text: Buffer
}

/** A search request; the JavaScript side fills in all defaults. */
export interface RawGrepRequest {
  path: string
  pattern: string
  literal: boolean
  ignoreCase: boolean
  multiline?: boolean
  globs: Array<string>
  policy: RawPolicy
  cache: boolean
  /** `content`, `files` or `count`. */
  mode: string
  before: number
  after: number
  columns: number
  offset: number
  limit: number
  perFile: number
  bytes: number
  fileBytes: number
  /** Where indexes of large folders are kept; unset: every file is read. */
  indexFolder?: string
  /** Folders with fewer files are searched without an index. */
  indexFrom: number
}

/** A packed search answer. */
export interface RawGrepResult {
  paths: Buffer
  files: Uint32Array
  chunks: Array<RawGrepChunk>
  matches: number
  limited: boolean
  searched: number
  spared: number
  binary: number
  problems: Array<RawProblem>
  problemCount: number
  repaired?: string
  scan?: RawScanInfo
}

/** What the header of a picture says. */
export interface RawImageFacts {
  mimeType: string
  width: number
  height: number
  isTurned: boolean
  hasAlpha: boolean
}

/** What to walk. */
export interface RawPolicy {
  hidden: boolean
  gitignore: boolean
  nodeModules: boolean
}

/** A file or folder that had to be left out. */
export interface RawProblem {
  path: string
  reason: string
}

/** Where an answer came from. */
export interface RawScanInfo {
  /** `walk`, `recent` or `watched`. */
  source: string
  ageMs: number
  entries: number
}

/** A request for the stat of every entry; the JavaScript side fills in all defaults. */
export interface RawStatRequest {
  path: string
  allIgnored: boolean
  smallFolder: number
  generated: Array<string>
  without: Array<string>
  except: Array<string>
  maxEntries: number
}

/** Every entry of a tree with its stat, packed. */
export interface RawStatResult {
  root: Buffer
  paths: Buffer
  stats: Buffer
  count: number
  leftOut: Buffer
  isCut: boolean
  problems: Array<RawProblem>
  problemCount: number
}

/** The matches of a structural search; see `tenon_syntax::pack`. */
export interface RawSyntaxMatches {
  batch: string
  numbers: Uint32Array
  texts: string[]
}

/** Whether something works here, and what belongs to the answer. */
export interface SandboxAbility {
  available: boolean
  detail: string
}

/** The arguments for `bwrap`. */
export declare function sandboxBubblewrap(policy: SandboxCommandPolicy, command: Array<string>): SandboxCommandLine

/** A wrapper's arguments and what they do not enforce. */
export interface SandboxCommandLine {
  argv: Array<string>
  unenforced: Array<SandboxUnenforced>
}

/** A policy for a wrapped command; the adapter has filled every field. */
export interface SandboxCommandPolicy {
  read: Array<string>
  write: Array<string>
  deny: Array<SandboxDeniedPath>
  links: Array<SandboxLink>
  exec?: Array<string>
  net: boolean
  /** Names and values in turn. */
  env?: Array<string>
  cwd?: string
  proc: boolean
  dev: boolean
  tmp: boolean
  dieWithParent: boolean
  newSession: boolean
  unsharePid: boolean
}

/** A path that a wrapped command must not see. */
export interface SandboxDeniedPath {
  path: string
  directory: boolean
}

/** What a restriction would do here; changes nothing. */
export declare function sandboxDryRun(policy: SandboxSelfPolicy, program?: string | undefined | null): SandboxReport

/** A link to make inside the sandbox. */
export interface SandboxLink {
  path: string
  target: string
}

/** Looks at the machine off-thread, because it starts bubblewrap once. */
export declare function sandboxProbe(cancel?: CancelHandle | undefined | null): Promise<unknown>

/** What this machine can enforce. */
export interface SandboxProbe {
  platform: string
  landlockAbi?: number
  landlock: SandboxAbility
  seccomp: SandboxAbility
  userNamespaces: SandboxAbility
  bubblewrap: SandboxAbility
  bubblewrapPath?: string
  seatbelt: SandboxAbility
  noNewPrivs: boolean
  surroundings: Array<string>
}

/** What a self-restriction does. */
export interface SandboxReport {
  landlockAbi?: number
  enforced: Array<string>
  unenforced: Array<SandboxUnenforced>
  missing: Array<string>
}

/** Restricts this process and replaces its program; returns only by failing. */
export declare function sandboxRestrictAndExec(policy: SandboxSelfPolicy, file: string, argv: Array<string>, env: Array<string>, keep: Array<number>): void

/** Restricts every thread of this process, or refuses. */
export declare function sandboxRestrictSelf(policy: SandboxSelfPolicy): SandboxReport

/** The arguments for `sandbox-exec`. */
export declare function sandboxSeatbelt(policy: SandboxCommandPolicy, command: Array<string>): SandboxCommandLine

/** A policy for the process itself, flattened: the adapter has filled every field. */
export interface SandboxSelfPolicy {
  read?: Array<string>
  write: Array<string>
  deny: Array<string>
  /** `off`, `only` or `any`. */
  exec: string
  programs: Array<string>
  /** `off`, `tcp` or `full`. */
  net: string
  connect: Array<number>
  bind: Array<number>
  unixSockets: boolean
  dataBytes?: number
  processes?: number
  coreBytes?: number
  fileBytes?: number
  openFiles?: number
  dieWithParent: boolean
  dropCapabilities: boolean
  strict: boolean
}

/** A part of a policy that is not enforced. */
export interface SandboxUnenforced {
  part: string
  reason: string
}

/** What is cached right now. */
export declare function scanCacheReport(): Array<RawCacheLine>

/** Paths ranked by a few typed letters. */
export declare function scanFuzzy(request: RawFuzzyRequest, cancel?: CancelHandle | undefined | null): Promise<unknown>

/** Paths that match a glob. */
export declare function scanGlob(request: RawGlobRequest, onBatch?: BatchListener | undefined | null, cancel?: CancelHandle | undefined | null): Promise<unknown>

/** Drops cached scans that could show `path`, or all; gives how many. */
export declare function scanInvalidate(path?: string | undefined | null): number

/** Every entry of a tree with its stat. */
export declare function scanStats(request: RawStatRequest, cancel?: CancelHandle | undefined | null): Promise<unknown>

/** Lines, files or counts that match a pattern. */
export declare function searchGrep(request: RawGrepRequest, cancel?: CancelHandle | undefined | null): Promise<unknown>

/** What a session tells: `output`, `done` or `closed`; for a terminal `output` or `exit`. */
export interface ShellEvent {
  kind: string
  command: number
  stream?: string
  /** Where the output lies in the slab: slot and length. */
  slot?: number
  length?: number
  status?: number
  outcome?: string
  shell?: string
  /** The folder of a finished command, or the reason of a closed session. */
  text?: string
  /** The command left a shell that runs nothing any more. */
  switchedOff?: boolean
}

/** A process that outlived its command. */
export interface ShellProcess {
  pid: number
  command: string
}

/** How a terminal is set up. */
export interface ShellPtyOptions {
  bash: string
  program: Array<string>
  cwd: string
  env?: Record<string, string>
  columns: number
  rows: number
}

/** One command for a shell session. */
export interface ShellRunRequest {
  id: number
  command: string
  env?: Record<string, string>
  cwd?: string
  timeoutMs?: number
}

/** How a shell session is set up; see `native/src/shell/contract.ts`. */
export interface ShellSessionOptions {
  bash: string
  wrap: Array<string>
  cwd: string
  env?: Record<string, string>
  snapshot?: string
  folder: string
  separateStderr: boolean
  graceMs: number
}

/** The content hash of the sources this addon was built from; the loader refuses any other. */
export declare function sourceHash(): string

/** The node kinds and the number of parse states of a linked-in grammar, to compare it with its WASM build. */
export declare function syntaxGrammar(language: string): string

/** Symbols of many sources. */
export declare function syntaxIndex(request: string, cancel?: CancelHandle | undefined | null): Promise<string[]>

/** The outline of one text. */
export declare function syntaxOutline(content: string, language: string, options: string, cancel?: CancelHandle | undefined | null): Promise<string>

/** Preview of a structural rewrite over many sources. */
export declare function syntaxRewrite(request: string, cancel?: CancelHandle | undefined | null): Promise<string[]>

/** Structural search over many sources. */
export declare function syntaxSearch(request: string, cancel?: CancelHandle | undefined | null): Promise<unknown>

/** The symbols of one text. */
export declare function syntaxSymbols(content: string, language: string, cancel?: CancelHandle | undefined | null): Promise<string>

/** The syntax tree of one text as plain data. */
export declare function syntaxTree(content: string, language: string, cancel?: CancelHandle | undefined | null): Promise<string>

/** An estimate of the tokens that UTF-8 text costs a model. */
export declare function textEstimateTokens(bytes: Uint8Array): number

/** Terminal output as plain text; styles (SGR) and safe links (OSC 8) stay on request. */
export declare function textSanitize(bytes: Uint8Array, keepStyle: boolean, keepLinks: boolean): string

/** Text broken into lines of at most `width` columns, joined by newlines: one string crosses quicker than many. */
export declare function textWrap(content: string, width: number, tabWidth: number): string
