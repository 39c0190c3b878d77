/** Which plan carries out which intent. */
import { ask, type Desk, type Plan, type Running } from '../plan.ts';
import type { Question, Request } from '../request.ts';
import { appendText, createFile, replaceText, rewrite, rewriteCalls } from './change.ts';
import { git, runCommand, runScript, runTests } from './commands.ts';
import { explainFile, explainSymbol, findDefinition, outline } from './explain.ts';
import { diagnose } from './language-servers.ts';
import { findFiles, findReferences, listSymbols, listTodos, searchText, show } from './look.ts';
import { rename } from './rename.ts';
import { deletion, describedContent, help, moveFile, nothing, notUnderstood, setup, thanks } from './talk.ts';

const PLANS: Readonly<Record<string, Plan>> = {
  help,
  thanks,
  setup,
  git,
  todos: listTodos,
  rename,
  'move-file': moveFile,
  rewrite,
  'rewrite-calls': rewriteCalls,
  append: appendText,
  replace: replaceText,
  create: createFile,
  'describe-content': describedContent,
  delete: deletion,
  tests: runTests,
  script: runScript,
  symbols: listSymbols,
  outline,
  'explain-file': explainFile,
  definition: findDefinition,
  explain: explainSymbol,
  references: findReferences,
  diagnose,
  search: searchText,
  find: findFiles,
  show,
  run: runCommand,
  nothing,
};

/** The intents that have a plan. */
export const INTENTS: readonly string[] = Object.keys(PLANS);

const UNTESTED = 'The tests were not run; say "run the tests" to do so.';

/** Starts the plan of a request. */
export function* startPlan(request: Request, desk: Desk): Running {
  const outcome = yield* planOf(request, desk);
  return outcome.isUntested ? { ...outcome, text: `${outcome.text}\n${UNTESTED}` } : outcome;
}

function planOf(request: Request, desk: Desk): Running {
  if (request.parts) return inSequence(request, request.parts, desk);
  return (PLANS[request.intent] ?? notUnderstood)(request, desk);
}

/** One after the other; what follows a failure or an open question is left undone and said to be so. */
function* inSequence(request: Request, parts: readonly Request[], desk: Desk): Running {
  const texts: string[] = [];
  let isUntested = false;
  for (const [index, part] of parts.entries()) {
    const outcome = yield* planOf(part, desk);
    const rest = parts.slice(index + 1);
    isUntested = (isUntested || outcome.isUntested === true) && part.intent !== 'tests';
    if (outcome.question) {
      const { text } = ask(outcome.question);
      return { ...outcome, text: [...texts, text].join('\n\n'), question: goingOn(outcome.question, request, rest) };
    }
    texts.push(outcome.text);
    if (!outcome.failed) continue;
    const undone = rest.map(({ text }) => `"${text.trim()}"`).join(', ');
    if (rest.length > 0) texts.push(`Because of that I did not go on with: ${undone}.`);
    return { ...outcome, text: texts.join('\n\n'), isUntested };
  }
  return { text: texts.join('\n\n'), isUntested };
}

/** A question whose answer also leads on to what was to follow. */
function goingOn(question: Question, request: Request, rest: readonly Request[]): Question {
  const joined = (answered: Request): Request => ({
    ...request,
    parts: answered.intent === 'nothing' ? [answered] : [answered, ...rest],
  });
  return {
    text: question.text,
    ...(question.choices && {
      choices: question.choices.map((choice) => ({ ...choice, request: joined(choice.request) })),
    }),
    ...(question.fill && {
      fill: (answer: string) => {
        const answered = question.fill?.(answer);
        return answered && joined(answered);
      },
    }),
  };
}
