/** The ids of runs. */

/** Whether an id can be the name of a folder. The database may say anything. */
export function isRunId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(id);
}
