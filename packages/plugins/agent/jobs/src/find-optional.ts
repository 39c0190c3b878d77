import { type KernelAccess, type Service, TenonError } from '@tenon/kernel';

/** A service that not every installation has; undefined where nobody provides it. */
export async function findOptional<V>(kernel: Pick<KernelAccess, 'find'>, service: Service<V>): Promise<V | undefined> {
  try {
    return await kernel.find(service);
  } catch (fault) {
    // A provider that is there and fails is no reason to go on without it.
    if (fault instanceof TenonError && fault.code === 'KERNEL_SERVICE_MISSING') return undefined;
    throw fault;
  }
}
