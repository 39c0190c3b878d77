/** What other plugins may use of the secrets: masking for whatever leaves the process by another way than requests and sessions. */
import { service } from '@tenon/kernel';

/** Masks secrets. */
export interface SecretMasks {
  /** A copy of any value in which no text holds a secret; values without one come back as they are. */
  mask<T>(value: T): T;
  /** Takes secrets out of a file that a tool wrote for reading later. */
  maskFile(path: string): Promise<void>;
}

/** Masks secrets. Without it (the plugin is off), nothing is masked. */
export const secretMasks = service<SecretMasks>('secret-masks');

export { errors } from './errors.ts';
