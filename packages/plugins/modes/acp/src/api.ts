/** What others may use of acp. */
export {};
