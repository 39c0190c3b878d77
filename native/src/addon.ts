import type { CodeMapAddon } from './code-map/addon.ts';
import type { HashlineAddon } from './hashline/addon.ts';
import type { ImagesAddon } from './images/addon.ts';
import type { MemoryAddon } from './memory/addon.ts';
import type { SandboxAddon } from './sandbox/addon.ts';
import type { ScanAddon } from './scan/addon.ts';
import type { SearchAddon } from './search/addon.ts';
import type { ShellAddon } from './shell/addon.ts';
import type { SyntaxAddon } from './syntax/addon.ts';
import type { TextAddon } from './text/addon.ts';

/** Carries cancellation and a time limit into native work; made by `callNative`. */
export interface CancelHandle {
  /** Asks the work to stop at its next heartbeat. */
  cancel(): void;
}

/** What the addon exports besides its accelerators. */
export interface CoreAddon {
  readonly CancelHandle: new (timeoutMs?: number) => CancelHandle;
  /** The content hash of the sources the addon was built from, or `unhashed` for a plain cargo build. */
  sourceHash(): string;
  /** Panics off-thread on purpose, for the tests of the task wrapper. */
  __panicForTests(): Promise<number>;
  /** Beats off-thread until it is cancelled, for the tests of the task wrapper. */
  __beatForTests(cancel?: CancelHandle): Promise<number>;
}

/** The raw exports of the native addon. Each accelerator declares its own part beside its adapter. */
export interface Addon
  extends
    CoreAddon,
    ScanAddon,
    SearchAddon,
    SyntaxAddon,
    HashlineAddon,
    ShellAddon,
    SandboxAddon,
    TextAddon,
    CodeMapAddon,
    ImagesAddon,
    MemoryAddon {}
