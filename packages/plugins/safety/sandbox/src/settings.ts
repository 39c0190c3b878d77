/** The kinds of sandbox, strongest first. */
export const MECHANISMS = ['bubblewrap', 'seatbelt', 'landlock'] as const;

/** One kind of sandbox. */
export type Mechanism = (typeof MECHANISMS)[number];
