/** What is different between two versions of a plugin, as far as it concerns what they could do. */
import type { Power } from './powers.ts';
import type { Program, Review } from './review.ts';

/** The difference. */
export interface Changes {
  readonly addedPowers: readonly Power[];
  readonly removedPowers: readonly Power[];
  readonly addedPrograms: readonly Program[];
  readonly changedPrograms: readonly Program[];
  readonly removedPrograms: readonly Program[];
}

/** Compares; without an old version everything is new. */
export function changesBetween(before: Review | undefined, after: Review): Changes {
  const key = ({ kind, text }: Power) => `${kind} ${text}`;
  const had = new Set(before?.powers.map(key));
  const has = new Set(after.powers.map(key));
  const oldPrograms = new Map(before?.programs.map((program) => [program.path, program]));
  const newPaths = new Set(after.programs.map(({ path }) => path));
  return {
    addedPowers: after.powers.filter((power) => !had.has(key(power))),
    removedPowers: (before?.powers ?? []).filter((power) => !has.has(key(power))),
    addedPrograms: after.programs.filter(({ path }) => !oldPrograms.has(path)),
    changedPrograms: after.programs.filter(({ path, sha256 }) => {
      const old = oldPrograms.get(path);
      return old !== undefined && old.sha256 !== sha256;
    }),
    removedPrograms: (before?.programs ?? []).filter(({ path }) => !newPaths.has(path)),
  };
}

/** True when the new version could do something that the old one could not. */
export function isMore({ addedPowers, addedPrograms }: Changes): boolean {
  return addedPowers.length > 0 || addedPrograms.length > 0;
}

/** True when code that was there before is different now. */
export function isOtherCode({ changedPrograms }: Changes): boolean {
  return changedPrograms.length > 0;
}
