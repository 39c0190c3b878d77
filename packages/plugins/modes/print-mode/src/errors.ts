import { defineErrors } from '@tenon/kernel';

/** How a run can end without an answer. */
export const errors = defineErrors('print-mode', {
  PRINT_NO_PROMPT: {
    exit: 'usage',
    summary: 'There is nothing to do: no prompt was given, and nothing was piped in.',
    next: 'Write `tenon -p "what to do"`.',
  },
  PRINT_MODEL_FAILED: {
    summary: 'The model {model} gave no answer: {reason}',
    next: '{advice} To try again, {again}.',
  },
  PRINT_CUT_OFF: {
    summary: 'The answer of {model} is not whole: it reached the limit of what the model may write at once.',
    next: 'Ask for less at once, choose a model that may write more with --model, or {again}.',
  },
  PRINT_EMPTY: {
    summary: 'The model {model} ended without an answer; what its tools did is done.',
    next: 'To get an answer, {again}.',
  },
  PRINT_NEEDS_MODEL: {
    exit: 'unavailable',
    summary: 'This needs a real model, and none is set up; {model} follows fixed rules and has not done it.',
    next: 'Log in with `tenon auth login PROVIDER`, set a key such as ANTHROPIC_API_KEY, or start a local server such as Ollama. Then run the command again.',
  },
  PRINT_NOT_DONE: {
    summary: 'What you asked for is not done; the answer of {model} says why.',
    next: 'Change the request, or what stands in its way, and {again}.',
  },
  PRINT_QUESTION: {
    summary: 'Nothing is done yet: {model} asks a question first.',
    next: 'Answer it: {answer}.',
  },
  PRINT_QUEUE_LEFT: {
    summary: '{left} not sent, because the prompt before failed.',
    next: 'Send what is left when that is solved.',
  },
  PRINT_MAX_TURNS: {
    exit: 'limit',
    summary: 'The model wanted to go on after {turns} (--max-turns), so the work is not done.',
    next: 'Give it more turns and {again}.',
  },
  PRINT_MAX_BUDGET: {
    exit: 'limit',
    summary: 'The run has cost ${spent} of the {limit} dollars of --max-budget-usd, and the work is not done.',
    next: 'Give it more and {again}.',
  },
  PRINT_NO_PRICE: {
    exit: 'usage',
    summary: 'The price of {model} is not known, so --max-budget-usd cannot be kept.',
    next: 'Leave the flag out and use --max-turns, or give the price of the model in models.yml.',
  },
  PRINT_LIMIT_VALUE: {
    exit: 'usage',
    summary: '"{value}" is not a value of --{flag}.',
    next: 'Give {wanted}.',
  },
  PRINT_SCHEMA_INVALID: {
    exit: 'usage',
    summary: 'The schema of --{flag} cannot be used: {reason}',
    next: 'Give a JSON Schema: written out, beginning with {, or as the name of a file.',
  },
  PRINT_TWO_SCHEMAS: {
    exit: 'usage',
    summary: '--json-schema and --output-schema mean the same, and both were given.',
    next: 'Give one of them.',
  },
  PRINT_SCHEMA_MISMATCH: {
    exit: 'mismatch',
    summary: 'The answer does not fit the schema, even after a second try: {problem}',
    next: 'Make the schema or the prompt simpler, or choose another model with --model.',
  },
  PRINT_STOPPED: {
    summary: 'The run was stopped before it was done.',
    next: 'To finish it, {again}.',
  },
  PRINT_WAITS: {
    summary: 'A call of the tool "{tool}" needs approval (tier {tier}: {reasons}) and waits for your answer: {call}',
    next: 'Nobody can be asked in this mode. Answer with `tenon approval allow {id}{way}` or `tenon approval deny {id}`, then {again}.',
  },
  PRINT_REFUSED: {
    summary: 'The call of the tool "{tool}" was refused by {by}: {reason}',
    next: 'The model was told and went on without it. If the policy or hook is wrong, change it; then {again}.',
  },
});
