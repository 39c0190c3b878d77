/** How hard a model should think. */
export const THINKING_LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

/** How hard a model should think. */
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];
