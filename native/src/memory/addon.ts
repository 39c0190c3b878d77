/** The memory part of the addon. */
export interface MemoryAddon {
  memoryRelease(): number;
}
