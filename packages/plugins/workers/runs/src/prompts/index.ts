import { renderPrompt } from '@tenon/prompts';
import type { RunMode } from '../run.ts';
import codeWithAgent from './code-with-agent.md';
import detail from './detail.md';
import discuss from './discuss.md';
import exchange from './exchange.md';
import execute from './execute.md';
import plan from './plan.md';
import refine from './refine.md';
import resume from './resume.md';
import signalAgain from './signal-again.md';
import signalFile from './signal-file.md';
import signalInAnswer from './signal-in-answer.md';

const MODES: Readonly<Record<RunMode, string>> = { execute, discuss, plan, detail, refine };

/** What the instruction about files is made of. */
export interface ExchangeValues {
  readonly mode: RunMode;
  readonly session: number;
  readonly inputs: readonly string[];
  readonly inputFolder: string;
  readonly hasContext: boolean;
  readonly contextFolder: string;
  readonly proposes: boolean;
  readonly proposalFolder: string;
  /** The instruction on how the worker says how it ended. */
  readonly signal: string;
}

/** What the words to a worker that goes on are made of. */
export interface ResumeValues {
  readonly session: number;
  /** The instruction on how the worker says how it ended. */
  readonly signal: string;
  readonly task: string;
  readonly isFresh: boolean;
  readonly isMissingSignal: boolean;
  readonly goesOn: boolean;
  readonly wasTakenOver: boolean;
  readonly error: string;
  readonly message: string;
  readonly answers: readonly { readonly text: string; readonly answer: string }[];
  readonly sideEffects: readonly { readonly tool: string; readonly attempts: string }[];
}

/** The texts for models. */
export const prompts = {
  exchange: ({ mode, ...values }: ExchangeValues) =>
    renderPrompt(exchange, { ...values, mode: renderPrompt(MODES[mode]) }),
  signalFile: (values: { readonly session: number; readonly signalFile: string }) => renderPrompt(signalFile, values),
  signalAgain: (values: { readonly session: number; readonly signalFile: string }) => renderPrompt(signalAgain, values),
  signalInAnswer: (values: { readonly session: number }) => renderPrompt(signalInAnswer, values),
  resume: (values: ResumeValues) => renderPrompt(resume, { ...values }),
  codeWithAgent: (values: { readonly workers: string }) => renderPrompt(codeWithAgent, values),
};
