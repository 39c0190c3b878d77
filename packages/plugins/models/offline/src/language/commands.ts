/** Requests that are commands, or ask for one to be run. */
import type { Reading, Request } from '../request.ts';
import { WHOLE_PROJECT } from './scope.ts';
import type { Caught } from './template.ts';
import type { Utterance } from './utterance.ts';

/** Programs whose name at the start makes a line a command. */
const PROGRAMS =
  /^(?:npm|npx|pnpm|yarn|bun|node|deno|cargo|rustc|make|just|go|python3?|pytest|pip3?|uv|tox|ruby|bundle|rake|java|javac|mvn|gradle|\.\/[\w./-]+|docker|kubectl|git|gh|ls|pwd|cat|echo|head|tail|wc|sort|uniq|tree|du|df|env|date|which|curl|jq|sed|awk|tsc|eslint|oxlint|oxfmt|prettier|vitest|jest|mocha|tenon|bash|sh)(?:\s+\S|$)/;

/** A line that is a shell command already. */
export function literalCommand(text: string): Request | undefined {
  const line = text.trim().replace(/^\$\s+/, '');
  const isShell = /^\$\s+\S/.test(text.trim());
  if (!isShell && (!PROGRAMS.test(line) || line.includes('\n') || !looksLikeShell(line))) return undefined;
  return { intent: 'run', slots: { command: line }, scope: WHOLE_PROJECT, ignoreCase: false, text };
}

/** `make test` is a command; "make it so that …" and "go to the definition of x" are not. */
function looksLikeShell(line: string): boolean {
  const [program = '', second = ''] = line.split(/\s+/);
  if (/^(?:make|go|just|which|date|sort|head|tail|env|node|echo|cat|tree|git|ls|gh|bun|uv)$/.test(program)) {
    if (program === 'go') return /^(?:test|build|run|vet|mod|fmt|generate|get|install|tool|version|env)$/.test(second);
    if (program === 'git')
      return !/^(?:status|diff|log|branch)$/.test(second) || /^(?:-|HEAD|\S*[~^@])/.test(line.split(/\s+/)[2] ?? '');
    if (program === 'make')
      return (
        second === '' ||
        (/^[a-z][\w-]*$/.test(second) &&
          line.split(/\s+/).length === 2 &&
          !/^(?:it|sure|a|an|the|file|me)$/.test(second))
      );
    if (program === 'just') return line.split(/\s+/).length === 2 && second !== 'do';
    if (program === 'cat' || program === 'ls' || program === 'tree') return / -|[|<>]/.test(line);
    if (program === 'which') return line.split(/\s+/).length === 2;
    if (program === 'node') return /^[-./]|\.[cm]?[jt]s$/.test(second);
    return !/^(?:the|a|an|all|my|me|files?|of)$/i.test(second);
  }
  return true;
}

/** "run the tests" was tried before; what is left must look like a command. */
export function refineRun(request: Request, { slots, spans }: Caught, utterance: Utterance): Reading | undefined {
  const [start, end] = spans['command'] ?? [0, 0];
  if (/^\s*⟦\d+⟧\s*$/.test(utterance.words.slice(start, end))) return { type: 'request', request };
  const whole = bareCommand(utterance, start);
  if (!looksLikeCommand(whole)) return undefined;
  const run = (command: string, cwd?: string): Request => ({
    ...request,
    scope: WHOLE_PROJECT,
    slots: { command, ...(cwd !== undefined && { cwd }) },
  });
  const [folder] = request.scope.paths;
  if (folder === undefined || !utterance.hasScopeAfter(start)) return { type: 'request', request: run(whole) };
  const short = slots['command'] ?? '';
  return {
    type: 'question',
    question: {
      text: `Does "in ${folder}" say where to run it, or is it a part of the command?`,
      choices: [
        {
          label: `run \`${short}\` in \`${folder}\``,
          words: ['where', 'folder', 'in the folder'],
          request: run(short, folder),
        },
        { label: `run \`${whole}\``, words: ['part', 'command', 'whole', 'a part of it'], request: run(whole) },
      ],
    },
  };
}

/** A command as it was written. Marks at its end belong to it, unless the sentence around it is polite. */
function bareCommand(utterance: Utterance, start: number): string {
  const written = utterance.writtenFrom(start).trim();
  const plain = written.replace(/(?:[\s,]+(?:please|pls|thanks|thank you|for me|now|right now))+[.!?]*$/i, '').trim();
  const isPolite = /^\W*(?:hey|hi|ok|please|pls|kindly|can|could|would|will|i\b)/i.test(utterance.original);
  return plain.replace(isPolite ? /(?<=\w)[.!?]+$/ : /(?<=\w)\.$/, '');
}

function looksLikeCommand(line: string): boolean {
  if (/^(?:it|this|that|something|command|script|everything|everywhere)$/i.test(line)) return false;
  return PROGRAMS.test(line) || /^[\w./-]+$/.test(line) || /\s-{1,2}\w|[|<>&;]|\$\(|^\S*\//.test(line);
}
