/** What other plugins may use of the doctor: the slot for checks. */
import { slot } from '@tenon/kernel';

/** One thing that was looked at. */
export interface DoctorFinding {
  readonly name: string;
  /** `problem` makes `tenon doctor` exit with 1; a `warning` does not. */
  readonly status: 'ok' | 'warning' | 'problem';
  readonly text: string;
  /** What the reader can do about it. */
  readonly next?: string;
}

/** Looks at one part of the installation. It only looks: it never changes anything. */
export interface DoctorCheck {
  run(call: { readonly signal: AbortSignal }): Promise<readonly DoctorFinding[]>;
}

/** What the manifest says about a check. */
export interface DoctorCheckData {
  /** Heading in the report. */
  readonly title: string;
  /** Place in the report, the lowest first; 100 if absent. */
  readonly order?: number;
}

/** Checks of `tenon doctor`. The data of an entry is a `DoctorCheckData`. */
export const doctorChecks = slot<DoctorCheck>('doctor-checks');
