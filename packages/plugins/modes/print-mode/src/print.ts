import { EXIT } from '@tenon/command-line/api';
import { SILENT } from '@tenon/host';
import type { TenonError } from '@tenon/kernel';
import type { ModeCall, ModeInput } from '@tenon/modes/api';
import { plainText } from '@tenon/wording';
import type { AnswerSchema } from './answer-schema.ts';
import type { InitHost } from './claude-init.ts';
import { errors } from './errors.ts';
import { limitFlags, Limits } from './limits.ts';
import { Outcome } from './outcome.ts';
import type { Answer, Output } from './output.ts';
import { prompts } from './prompts/index.ts';

/** What print mode asks other plugins. */
export type PrintHost = InitHost;

/** How the answer is written. */
export type PrintFormat = 'text' | 'json' | 'result' | 'stream-json';

type Agent = Awaited<ReturnType<ModeCall['open']>>['agent'];

/** Answers the prompts, one after the other, and gives the exit code. A prompt that fails ends the run. */
export async function print(call: ModeCall, format: PrintFormat, host: PrintHost): Promise<number> {
  const { inputs, io, signal } = call;
  if (inputs.length === 0 && !call.later) throw errors.create('PRINT_NO_PROMPT');
  const limitsGiven = limitFlags(call.flags);
  const schema = await schemaOf(call);
  call.useInterface({ ...SILENT, notify: (message) => void io.err(`${plainText(message)}\n`) });
  const made = await call.open();
  const { agent } = made;
  const output = await outputFor(call, format, host);
  const stop = () => void agent.abort();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const limits = new Limits(agent, limitsGiven);
    await output.begin(made);
    return await answerAll(inputs, { call, agent, limits, output, host, ...(schema && { schema }) });
  } catch (fault) {
    await output.failed(fault);
    throw fault;
  } finally {
    signal.removeEventListener('abort', stop);
    await agent.dispose();
    await output.finish();
  }
}

interface Run {
  readonly call: ModeCall;
  readonly agent: Agent;
  readonly limits: Limits;
  readonly output: Output;
  readonly host: PrintHost;
  /** What the last answer has to fit. */
  readonly schema?: AnswerSchema;
}

async function answerAll(inputs: readonly ModeInput[], run: Run): Promise<number> {
  for (const [index, input] of inputs.entries()) {
    const code = await answerOne(input, run, inputs.length - index - 1);
    if (code !== EXIT.ok) return code;
  }
  let hasCome = inputs.length > 0;
  for await (const input of run.call.later ?? []) {
    hasCome = true;
    const code = await answerOne(input, run, 0);
    if (code !== EXIT.ok) return code;
  }
  if (!hasCome) throw errors.create('PRINT_NO_PROMPT');
  return EXIT.ok;
}

async function answerOne(input: ModeInput, run: Run, left: number): Promise<number> {
  const answer = await answerTo(input, run, left);
  await run.output.answer(answer);
  const { problems } = answer.report;
  if (problems.length === 0) return EXIT.ok;
  // The class that says most: that it failed is true of all of them.
  return EXIT[problems.find(({ exit }) => exit !== 'failure')?.exit ?? 'failure'];
}

/** Answers one prompt; `left` others follow. */
async function answerTo({ prompt, mentions }: ModeInput, run: Run, left: number): Promise<Answer> {
  const { call, agent, limits, output, host } = run;
  const schema = left === 0 ? run.schema : undefined;
  const outcome = new Outcome(agent);
  const unsubscribe = agent.subscribe((event) => {
    outcome.note(event);
    output.event(event);
    limits.note(event);
  });
  try {
    if (mentions) agent.nextTurn(mentions);
    if (schema) agent.nextTurn(note(prompts.answerSchema({ schema: schema.text })));
    await agent.prompt(prompt);
    const structured = schema && (await readStructured(schema, outcome, run));
    // Without approval nothing is held.
    const held = (outcome.hasRefusals && (await (await host.approvals())?.held())) || [];
    const isStopped = call.signal.aborted;
    const report = outcome.report(held, { isPersistent: call.isPersistent, isStopped, left, reached: limits.reached });
    const mismatch =
      structured && 'problem' in structured && report.problems.length === 0 ? structured.problem : undefined;
    const problems: readonly TenonError[] =
      mismatch === undefined ? report.problems : [errors.create('PRINT_SCHEMA_MISMATCH', { problem: mismatch })];
    return {
      text: outcome.text(),
      ...(structured && 'value' in structured && { structured }),
      report: { ...report, problems },
      turns: limits.turns,
      spentUsd: limits.spent,
    };
  } finally {
    unsubscribe();
  }
}

/** Reads the answer as JSON; the model gets one chance to correct it. */
async function readStructured(schema: AnswerSchema, outcome: Outcome, { agent, limits, call }: Run) {
  const read = schema.read(outcome.text());
  const isOver = outcome.hasFailed || limits.reached !== undefined || limits.check() || call.signal.aborted;
  if ('value' in read || isOver) return read;
  await agent.prompt(prompts.schemaRepair({ problem: read.problem }));
  return schema.read(outcome.text());
}

function note(content: string) {
  return {
    role: 'custom' as const,
    customType: 'answer-schema',
    content,
    display: false,
    attribution: 'agent' as const,
    timestamp: Date.now(),
  };
}

/** Most runs have no schema, and its checker takes a while to load. */
async function schemaOf(call: ModeCall): Promise<AnswerSchema | undefined> {
  const { flags } = call;
  if (flags['json-schema'] === undefined && flags['output-schema'] === undefined) return undefined;
  return (await import('./answer-schema.ts')).answerSchema(call);
}

async function outputFor(call: ModeCall, format: PrintFormat, host: PrintHost): Promise<Output> {
  switch (format) {
    case 'text':
      return new (await import('./text-output.ts')).TextOutput(call.io);
    case 'json':
      return new (await import('./event-output.ts')).EventOutput(call);
    default: {
      const { ClaudeOutput } = await import('./claude-output.ts');
      return new ClaudeOutput(call, format === 'result' ? 'json' : format, host);
    }
  }
}
