/** Memory of a process that waits. */
export interface Memory {
  /**
   * Gives back to the system what the C library keeps for later, and unmaps pages of code that are in their files anyway. The bytes of code
   * that are no longer mapped; 0 where nothing can be given back. Some milliseconds; nothing changes but the speed of the next steps.
   */
  release(): number;
}
