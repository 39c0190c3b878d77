/** A whole number that the addon can take: not below 0, not above 2^31. */
export function wholeNumber(value: number | undefined, standard: number): number {
  return Math.min(Math.max(0, Math.floor(value === undefined || Number.isNaN(value) ? standard : value)), 2 ** 31);
}
