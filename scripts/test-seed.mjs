/** Gives fast-check the common seed, in every test file. */
import fc from 'fast-check';

import { COMMON_SEED } from './common-seed.mjs';

fc.configureGlobal({ seed: COMMON_SEED });
