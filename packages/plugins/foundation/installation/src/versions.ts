/** Versions and what the changelog says about them. */

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

/** Whether a text is a version as npm writes it. */
export function isVersion(text: string): boolean {
  return VERSION.test(text);
}

/** Below zero when `a` is older than `b`, above when it is newer, as semantic versioning says. */
export function compareVersions(a: string, b: string): number {
  const [, ...left] = VERSION.exec(a) ?? [];
  const [, ...right] = VERSION.exec(b) ?? [];
  for (const index of [0, 1, 2]) {
    const difference = Number(left[index] ?? 0) - Number(right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return compareTags(left[3], right[3]);
}

function compareTags(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  // A release comes after its previews.
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  const left = a.split('.');
  const right = b.split('.');
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [one, other] = [left[index], right[index]];
    if (one === other) continue;
    if (one === undefined) return -1;
    if (other === undefined) return 1;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    if (isNumber && isOtherNumber) return Number(one) - Number(other);
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return 0;
}

/** The sections of a changelog that are newer than one version and not newer than another, newest first as they stand there. */
export function changesBetween(changelog: string, after: string, upTo: string): string {
  const sections = changelog.split(/^(?=## )/m).filter((part) => part.startsWith('## '));
  const wanted = sections.filter((part) => {
    const version = /^## \[?v?([^\]\s]+)/.exec(part)?.[1] ?? '';
    return isVersion(version) && compareVersions(version, after) > 0 && compareVersions(version, upTo) <= 0;
  });
  return wanted.map((part) => part.trimEnd()).join('\n\n');
}
