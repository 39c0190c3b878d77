/** What others may use of channels. */
export {};
