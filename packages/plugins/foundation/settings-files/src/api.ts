/** What other packages may use of the settings files: where overrides of one run come from. */
import { service } from '@tenon/kernel';

/** Settings that hold for this run only. */
export interface SettingsOverrides {
  /** `--set` flags as given, each `key=value`. */
  readonly assignments: readonly string[];
  /** The environment: `TENON_SET`, and the variables that settings name with `x-env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether an agent chose these variables; then they can only do what a project's settings can. */
  readonly isByAgent?: boolean | undefined;
}

/** Settings that hold for this run only; provided by the program that starts the kernel. */
export const settingsOverrides = service<SettingsOverrides>('settings-overrides');
