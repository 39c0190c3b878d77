/** What others may use of fleet. */
export {};
