/** Runs the steps of a plan, one after the other, in a sandbox. */
import { spawn } from 'node:child_process';
import { findInPath } from '@tenon/host';
import { messageOf } from '@tenon/kernel';
import type { Confinement } from '@tenon/sandbox/api';
import type { ValidationPlan, ValidationResult, ValidationStep } from './api.ts';

/** How much of a step's output its result keeps. */
const TAIL_CHARACTERS = 8_000;
/** How long a step that is told to end may take. */
const GRACE_MS = 2_000;

/** How steps are run. */
export interface StepCall {
  readonly signal: AbortSignal;
  output?(text: string): void;
  /** More variables. */
  readonly env?: Readonly<Record<string, string>>;
}

type StepResult = ValidationResult['steps'][number];

/** Runs until one fails. */
export async function runSteps(
  plan: ValidationPlan,
  confine: () => Promise<Confinement>,
  call: StepCall,
): Promise<ValidationResult> {
  const steps: StepResult[] = [];
  for (const step of plan.steps) {
    if (call.signal.aborted) return { state: 'cancelled', plan, steps };
    call.output?.(`$ ${step.argv.join(' ')}\n`);
    if (findInPath(step.argv[0] ?? '', process.env, step.cwd) === undefined) {
      steps.push({ ...step, code: null, skipped: missing(step), durationMs: 0, tail: '' });
      continue;
    }
    const confinement = await confine();
    try {
      const result = await runStep(step, confinement, call);
      steps.push(result);
      if (call.signal.aborted) return { state: 'cancelled', plan, steps };
      if (result.skipped === undefined && result.code !== 0) return { state: 'failed', plan, steps };
    } finally {
      await confinement.dispose();
    }
  }
  const hasRun = steps.some(({ skipped }) => skipped === undefined);
  return { state: hasRun ? 'passed' : 'skipped', plan, steps };
}

function runStep(
  step: ValidationStep,
  confinement: Confinement,
  { signal, output, env }: StepCall,
): Promise<StepResult> {
  const began = performance.now();
  let tail = '';
  const take = (text: string) => {
    tail = (tail + text).slice(-2 * TAIL_CHARACTERS);
    output?.(text);
  };
  return new Promise((resolve) => {
    const [program = '', ...args] = [...confinement.argv, ...step.argv];
    const finish = (end: Pick<StepResult, 'code' | 'skipped'>) => {
      signal.removeEventListener('abort', stop);
      clearTimeout(timer);
      resolve({
        ...step,
        ...end,
        durationMs: Math.round(performance.now() - began),
        tail: tail.slice(-TAIL_CHARACTERS),
      });
    };
    // A group of its own, so that what it has started can be ended with it.
    const child = spawn(program, args, {
      cwd: step.cwd,
      env: { ...process.env, CI: '1', ...confinement.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let timer: NodeJS.Timeout | undefined;
    const end = (name: NodeJS.Signals) => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, name);
      } catch {
        // It has ended in this moment.
      }
    };
    const stop = () => {
      end('SIGTERM');
      timer = setTimeout(() => end('SIGKILL'), GRACE_MS);
    };
    signal.addEventListener('abort', stop, { once: true });
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', (fault) => finish({ code: null, skipped: messageOf(fault) }));
    child.on('close', (code) => finish({ code }));
  });
}

function missing({ argv }: ValidationStep): string {
  return `The program ${argv[0] ?? ''} is not installed.`;
}
