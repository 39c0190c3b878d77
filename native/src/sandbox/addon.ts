import type { CancelHandle } from '../addon.ts';
import type { DeniedPath, RestrictionReport, SandboxCommandLine, SandboxProbe } from './contract.ts';

/** A policy for the process itself as it crosses the boundary: every field filled. */
export interface RawSelfPolicy {
  readonly read?: string[] | undefined;
  readonly write: string[];
  readonly deny: string[];
  readonly exec: 'off' | 'only' | 'any';
  readonly programs: string[];
  readonly net: 'off' | 'tcp' | 'full';
  readonly connect: number[];
  readonly bind: number[];
  readonly unixSockets: boolean;
  readonly dataBytes?: number | undefined;
  readonly processes?: number | undefined;
  readonly coreBytes?: number | undefined;
  readonly fileBytes?: number | undefined;
  readonly openFiles?: number | undefined;
  readonly dieWithParent: boolean;
  readonly dropCapabilities: boolean;
  readonly strict: boolean;
}

/** A policy for a wrapped command as it crosses the boundary: every field filled. */
export interface RawCommandPolicy {
  readonly read: string[];
  readonly write: string[];
  readonly deny: DeniedPath[];
  readonly links: { path: string; target: string }[];
  readonly exec?: string[] | undefined;
  readonly net: boolean;
  /** Names and values in turn. */
  readonly env?: string[] | undefined;
  readonly cwd?: string | undefined;
  readonly proc: boolean;
  readonly dev: boolean;
  readonly tmp: boolean;
  readonly dieWithParent: boolean;
  readonly newSession: boolean;
  readonly unsharePid: boolean;
}

/** The raw exports of the addon for the sandbox. */
export interface SandboxAddon {
  sandboxProbe(cancel?: CancelHandle): Promise<SandboxProbe>;
  sandboxDryRun(policy: RawSelfPolicy, program?: string): RestrictionReport;
  sandboxRestrictSelf(policy: RawSelfPolicy): RestrictionReport;
  sandboxRestrictAndExec(policy: RawSelfPolicy, file: string, argv: string[], env: string[], keep: number[]): void;
  sandboxBubblewrap(policy: RawCommandPolicy, command: string[]): SandboxCommandLine;
  sandboxSeatbelt(policy: RawCommandPolicy, command: string[]): SandboxCommandLine;
}
