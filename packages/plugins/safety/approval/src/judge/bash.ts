/** The shapes that the syntax accelerator gives a shell script in. */
import type { Accelerators } from '@tenon/native';

/** A parsed script. */
export type BashScript = Awaited<ReturnType<Accelerators['syntax']['parseBash']>>;
/** One statement of it. */
export type BashStatement = BashScript['statements'][number];
/** A simple command. */
export type BashCommand = Extract<BashStatement, { type: 'command' }>;
/** A word as written. */
export type BashWord = BashCommand['args'][number];
/** A redirection. */
export type BashRedirect = BashStatement['redirects'][number];
/** An assignment. */
export type BashAssignment = BashCommand['assignments'][number];
