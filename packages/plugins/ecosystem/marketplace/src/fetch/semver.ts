/** The parts of semver that are used, in a module of their own: in the built program a CommonJS package cannot be imported lazily by name. */
import semver from 'semver';

/** The highest version in a range. */
export const maxSatisfying = (versions: readonly string[], range: string): string | null =>
  semver.maxSatisfying([...versions], range);

/** Whether a version lies in a range. */
export const satisfies = (version: string, range: string): boolean => semver.satisfies(version, range);
