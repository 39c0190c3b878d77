/** What language servers know, where there is one: exact references and definitions, and what a type checker says. */
import { call, type Desk, failed, type Plan, said } from '../plan.ts';
import type { FoundLine } from '../tool-output.ts';
import type { Steps } from './reading.ts';
import { block, code } from './wording.ts';

const TOOL = 'lsp';
const FIND_TOOL = 'search_tool_bm25';
/** Files that have no names which something refers to. */
const PROSE = /\.(?:md|markdown|txt|rst|adoc|json|lock|csv|log)$/i;

/** Whether the session offers the tool; where tools are found by search, it is looked for first. */
function* hasServers(desk: Desk): Steps<boolean> {
  // Asked each time, also when the tool is there: a plan that runs again must make the same calls.
  if (desk.has(FIND_TOOL))
    yield* call(FIND_TOOL, { query: 'language server references definition diagnostics', limit: 1 }, { mayFail: true });
  return desk.has(TOOL);
}

/** What a server says about a name on a line; undefined when there is none that knows. */
export function* askServer(
  desk: Desk,
  action: 'references' | 'definition',
  name: string,
  { path, line }: Pick<FoundLine, 'path' | 'line'>,
): Steps<{ readonly count: number; readonly text: string } | undefined> {
  if (PROSE.test(path) || !(yield* hasServers(desk))) return undefined;
  const say = `Asking the language server for ${action === 'references' ? 'references of' : 'the definition of'} ${code(name)}.`;
  const result = yield* call(TOOL, { action, file: path, line, symbol: name }, { say, mayFail: true });
  const found = /^Found (\d+) [^\n]*:\n/.exec(result.text);
  if (result.isError || !found) return undefined;
  return { count: Number(found[1]), text: result.text.slice(found[0].length) };
}

/** Says what the type checker says about a file. */
export const diagnose: Plan = function* (request, desk) {
  const { path = '' } = request.slots;
  if (!(yield* hasServers(desk)))
    return failed(
      'This session offers no language server tool, so I cannot ask a type checker. Say "run the tests" instead.',
    );
  const say = `Asking the language server about ${code(path)}.`;
  const result = yield* call(TOOL, { action: 'diagnostics', file: path }, { say, mayFail: true });
  if (result.isError) return failed(`The type checker could not be asked about ${code(path)}: ${result.text}`);
  if (/^OK(?:\n|$)/.test(result.text)) return said(`The language server finds no problem in ${code(path)}.`);
  return said(`The language server says about ${code(path)}:\n\n${block(result.text, '', 100)}`);
};
