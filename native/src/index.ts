/** Accelerators of Tenon: `await loadAccelerator('search')` gives the best implementation that can serve here. */
import {
  type AcceleratorName,
  type Accelerators,
  type AcceleratorSet,
  type AcceleratorsReport,
  createAccelerators,
  type Implementation,
  type Kind,
} from './accelerators.ts';

export {
  ACCELERATOR_NAMES,
  type AcceleratorName,
  type AcceleratorOptions,
  type AcceleratorReport,
  type Accelerators,
  type AcceleratorSet,
  type AcceleratorsReport,
  AcceleratorUnavailableError,
  createAccelerators,
  type Implementation,
  type Kind,
  KINDS,
  type SkippedImplementation,
} from './accelerators.ts';
export {
  type AddonAttempt,
  type AddonLookup,
  type AddonOrigin,
  cacheFolder,
  findAddon,
  platformPackages,
} from './loader.ts';
export { STAT_BYTES, type StatTree, type TreeWatch } from './scan/contract.ts';
export { createSnapshot, type Snapshot, type SnapshotOptions } from './shell/snapshot.ts';
export type { CodeMap, CodeMapAnswer } from './code-map/contract.ts';
export { applyEdits } from './syntax/apply-edits.ts';
export { type CallLimits, NativeError } from './task.ts';

let shared: AcceleratorSet | undefined;

/** The set that the whole process shares. Nothing is loaded before its first use. */
export function accelerators(): AcceleratorSet {
  return (shared ??= createAccelerators());
}

/** The implementation chosen for this process, or exactly the given kind (which throws where it cannot serve). */
export function loadAccelerator<N extends AcceleratorName>(name: N, kind?: Kind): Promise<Accelerators[N]> {
  return accelerators().load(name, kind);
}

/** Every implementation that can serve here, best first: for suites that hold them to the same answers. */
export function implementations<N extends AcceleratorName>(name: N): Promise<Implementation<N>[]> {
  return accelerators().implementations(name);
}

/** Which implementation serves each accelerator, and why the better ones do not. */
export function acceleratorReport(): Promise<AcceleratorsReport> {
  return accelerators().report();
}
