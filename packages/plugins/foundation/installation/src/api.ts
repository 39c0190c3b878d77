/** What others may use of installation. */
export {};
