/** What others may use of validation: which commands prove a change, and what they said. */
import { service } from '@tenon/kernel';

export { errors } from './errors.ts';
export { detectPackageManager, type PackageManager, type PackageManagerChoice } from './projects/package-manager.ts';
export { runSteps } from './run-steps.ts';

/** One command of a validation. */
export interface ValidationStep {
  /** For people: `build of packages/a`. */
  readonly title: string;
  /** The words of the command; no shell is between. */
  readonly argv: readonly string[];
  /** Where it runs, absolute. */
  readonly cwd: string;
}

/** What would be run, and why that. */
export interface ValidationPlan {
  readonly steps: readonly ValidationStep[];
  /** `override`: the settings say so. `monorepo`: only the packages that changed. `simple`: the project. `none`: nothing was found. */
  readonly by: 'override' | 'monorepo' | 'simple' | 'none';
  /** The top of the project: what the steps may change. */
  readonly root: string;
  /** A sentence for people. */
  readonly reason: string;
}

/** What a validation said. */
export interface ValidationResult {
  readonly state: 'passed' | 'failed' | 'skipped' | 'cancelled';
  readonly plan: ValidationPlan;
  readonly steps: readonly (ValidationStep & {
    /** Null when it could not run or was ended. */
    readonly code: number | null;
    /** Why it was not run: its program is missing. */
    readonly skipped?: string;
    readonly durationMs: number;
    /** The last part of what it wrote. */
    readonly tail: string;
  })[];
}

/** Proves changes with the project's own commands. */
export interface Validation {
  /** `base`: the commit before the change; what differs from it, committed or not, is the change. `names`: other names of the project, by which the settings may know it. */
  plan(request: {
    readonly cwd: string;
    readonly base?: string;
    readonly names?: readonly string[];
  }): Promise<ValidationPlan>;
  /** Runs the steps one after the other in the sandbox, up to the first that fails. */
  run(
    plan: ValidationPlan,
    call: {
      readonly signal: AbortSignal;
      output?(text: string): void;
      readonly sandbox?: 'off';
      /** More variables. */
      readonly env?: Readonly<Record<string, string>>;
    },
  ): Promise<ValidationResult>;
}

/** Proves changes with the project's own commands. */
export const validation = service<Validation>('validation');
