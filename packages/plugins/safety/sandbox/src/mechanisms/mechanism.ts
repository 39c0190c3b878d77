import type { ExtraPaths } from '../api.ts';
import type { LaunchPolicy } from './launch-policy.ts';

/** A policy put into words for the operating system. */
export interface Wrapping {
  /** The words before a program. */
  argv(extra: ExtraPaths): readonly string[];
  /** Variables to set, or to remove where undefined. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where it has to be started. Undefined: in the folder that it works in. */
  readonly cwd: string | undefined;
  /** What holds here beyond the policy, or not at all, in words. */
  readonly notes: readonly string[];
  /** True when the program, which may start no other, can still start itself: it gives that up with `restrictSelf`. */
  readonly canRestart: boolean;
}

/** What a mechanism is given beside the policy. */
export interface WrapOptions {
  readonly policy: LaunchPolicy;
  /** A private folder of Tenon's for this confinement. */
  readonly folder: string;
  readonly terminal: boolean;
  /** The proxy's Unix socket, or its loopback port, when hosts are allowed. */
  readonly proxy:
    | {
        readonly socket?: string;
        /** The folder to show instead of the socket, when another process may make the socket anew. */
        readonly socketFolder?: string;
        readonly port?: number;
      }
    | undefined;
}

/** Lets the shell set limits, because Node cannot: they hold for everything that it then becomes. Ends in `exec`. */
export function limitScript({ limits }: LaunchPolicy): string {
  return limits === undefined ? '' : `ulimit -c 0; ulimit -d ${dataLimitKb(limits.memoryMb)}; `;
}

/** Node's stacks, code and buffers come on top of what a process may use. */
export function dataLimitKb(memoryMb: number): number {
  return (memoryMb + NODE_OVERHEAD_MB) * 1024;
}

/** From V8 13 on (Node.js 24) the room for compiled code, 512 MB, counts from the start, used or not. */
const CODE_ROOM_MB = Number.parseInt(process.versions.v8, 10) >= 13 ? 512 : 0;
const NODE_OVERHEAD_MB = 384 + CODE_ROOM_MB;
