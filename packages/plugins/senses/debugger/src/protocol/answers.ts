/** A list of objects in an answer; whatever else an adapter sends counts as empty. */
export function listIn<T>(answer: Readonly<Record<string, unknown>>, key: string): readonly T[] {
  const value = answer[key];
  return Array.isArray(value)
    ? (value as readonly T[]).filter((item) => typeof item === 'object' && item !== null)
    : [];
}
