import { defineErrors } from './errors.ts';
import catalogue from './kernel-errors.json' with { type: 'json' };

/** Every error that the kernel itself raises. */
export const kernelErrors = defineErrors('kernel', catalogue);
