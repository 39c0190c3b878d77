/**
 * How long a test may take, in every test file: a limit is there to end a test that hangs, so it is generous, and it grows with
 * the number of processes that wait for each core when the file begins.
 */
import { patientLimit } from '@tenon/test-kit/waiting';
import { vi } from 'vitest';

const LIMIT_MS = 120_000;

vi.setConfig({ testTimeout: patientLimit(LIMIT_MS), hookTimeout: patientLimit(LIMIT_MS) });
