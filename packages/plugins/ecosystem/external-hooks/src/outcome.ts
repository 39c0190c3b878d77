/** What hooks say, one by one and together. */

/** What a hook wants for a call, the strongest first. */
export const DECISIONS = ['deny', 'defer', 'ask', 'allow'] as const;

/** What a hook wants for a call. */
export type Decision = (typeof DECISIONS)[number];

/** What one hook says. */
export interface Reading {
  readonly decision?: Decision;
  /** Why; for the model when something is refused. */
  readonly reason?: string;
  /** Set when the agent has to stop altogether: what the user is told. */
  readonly stop?: string;
  /** For the model. */
  readonly context?: string;
  /** For the user. */
  readonly message?: string;
  /** What is wrong with the hook itself; for the user. */
  readonly warning?: string;
  /** The input of the call, in the words of the dialect. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** What the model sees instead of the result. */
  readonly updatedOutput?: string;
  /** Variables for the commands of the session. */
  readonly env?: Readonly<Record<string, string>>;
  /** The only tools that the model may use next, in the words of the dialect. */
  readonly tools?: readonly string[];
}

/** What all hooks say together. */
export interface Outcome {
  readonly decision?: Decision;
  readonly reason?: string;
  readonly stop?: string;
  readonly contexts: readonly string[];
  readonly messages: readonly string[];
  readonly warnings: readonly string[];
  readonly updatedOutput?: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Nobody said anything. */
export const SILENCE: Outcome = { contexts: [], messages: [], warnings: [], env: {} };

/**
 * Puts together what hooks say. The strongest decision wins, whatever the order: deny over defer over ask over allow; its
 * reasons are those of the hooks that want it. Of several outputs the last counts.
 */
export function merge(readings: readonly Reading[]): Outcome {
  const decision = DECISIONS.find((choice) => readings.some((reading) => reading.decision === choice));
  const reasons = readings.filter((reading) => reading.decision === decision).flatMap(({ reason }) => reason ?? []);
  const stop = readings.find((reading) => reading.stop !== undefined)?.stop;
  const updatedOutput = readings.findLast((reading) => reading.updatedOutput !== undefined)?.updatedOutput;
  const texts = (key: 'context' | 'message' | 'warning') => [
    ...new Set(readings.flatMap((reading) => reading[key] ?? [])),
  ];
  return {
    ...(decision !== undefined && { decision }),
    ...(decision !== undefined && reasons.length > 0 && { reason: [...new Set(reasons)].join('\n') }),
    ...(stop !== undefined && { stop }),
    contexts: texts('context'),
    messages: texts('message'),
    warnings: texts('warning'),
    ...(updatedOutput !== undefined && { updatedOutput }),
    env: Object.assign({}, ...readings.map(({ env }) => env ?? {})) as Record<string, string>,
  };
}
