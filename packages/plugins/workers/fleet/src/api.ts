/** What others may use of fleet: how it is. Runs go there through the service `runs`. */
import { service } from '@tenon/kernel';
import type { FleetStatus } from './status.ts';

export { errors } from './errors.ts';
export type { FleetHostStatus, FleetStatus } from './status.ts';

/** The fleet that this machine knows. */
export interface Fleet {
  /** Whether it knows one. Cheap. */
  isSetUp(): boolean;
  status(): Promise<FleetStatus>;
}

/** Runs over several hosts. */
export const fleet = service<Fleet>('fleet');
