/** Looking at a stopped program: threads, frames, variables, modules. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { plainText } from '@tenon/wording';
import { errors } from '../errors.ts';
import { missing, numberIn, requiredText, textIn } from '../input.ts';
import { frameText, shown, variableText } from '../present.ts';
import { placeOf } from '../session/debug-session.ts';
import { listIn } from '../protocol/answers.ts';
import type { ActionCall, ActionHandler, ActionResult } from './action.ts';

const STANDARD_LEVELS = 20;
const SHOWN_VARIABLES = 100;

async function threads({ current, limits }: ActionCall): Promise<ActionResult> {
  const list = listIn<DebugProtocol.Thread>(await current.send('threads', {}, limits), 'threads');
  const lines = list.map(({ id, name }) => `${current.stop?.threadId === id ? '*' : ' '} ${id} ${shown(name, 200)}`);
  return { lines: lines.length > 0 ? lines : ['There are no threads.'], facts: { threads: list } };
}

async function stackTrace({ current, input, limits, cwd }: ActionCall): Promise<ActionResult> {
  const threadId = numberIn(input, 'thread_id') ?? (await current.thread(limits));
  const levels = numberIn(input, 'levels') ?? STANDARD_LEVELS;
  const answer = await current.send('stackTrace', { threadId, startFrame: 0, levels }, limits);
  // Some adapters do not care about `levels`.
  const frames = listIn<DebugProtocol.StackFrame>(answer, 'stackFrames').slice(0, levels);
  const total = Number(answer['totalFrames'] ?? frames.length);
  const lines = frames.map((frame, index) => frameText(frame, placeOf(frame), index, cwd));
  const more = total > frames.length ? [`… ${total - frames.length} more frames; ask with a larger levels.`] : [];
  return { lines: lines.length > 0 ? [...lines, ...more] : ['There are no frames.'], facts: { stackFrames: frames } };
}

async function frameIdFor({ current, input, limits }: ActionCall): Promise<number> {
  const id = numberIn(input, 'frame_id') ?? (await current.frame(limits))?.id;
  if (id === undefined) throw errors.create('DEBUG_NOT_STOPPED', { state: current.state, what: 'frame' });
  return id;
}

async function scopes(call: ActionCall): Promise<ActionResult> {
  const frameId = await frameIdFor(call);
  const list = listIn<DebugProtocol.Scope>(await call.current.send('scopes', { frameId }, call.limits), 'scopes');
  const lines = list.map(
    ({ name, variablesReference, expensive }) =>
      `${shown(name, 200)}: scope_id ${variablesReference}${expensive ? ' (large)' : ''}`,
  );
  return { lines: lines.length > 0 ? lines : ['There are no scopes.'], facts: { scopes: list } };
}

async function variables({ current, input, limits }: ActionCall): Promise<ActionResult> {
  const reference =
    numberIn(input, 'variable_ref') ?? numberIn(input, 'scope_id') ?? missing(input, 'variable_ref or scope_id');
  const list = listIn<DebugProtocol.Variable>(
    await current.send('variables', { variablesReference: reference }, limits),
    'variables',
  );
  const start = Math.max(0, numberIn(input, 'offset') ?? 0);
  const page = list.slice(start, start + (numberIn(input, 'count') ?? SHOWN_VARIABLES));
  const rest = list.length - start - page.length;
  const more = rest > 0 ? [`… ${rest} more; go on with offset ${start + page.length}.`] : [];
  const lines = page.map(variableText);
  return { lines: lines.length > 0 ? [...lines, ...more] : ['There is nothing in it.'], facts: { variables: page } };
}

async function evaluate({ current, input, limits }: ActionCall): Promise<ActionResult> {
  const expression = requiredText(input, 'expression');
  const frameId = numberIn(input, 'frame_id') ?? (await current.frame(limits))?.id;
  const args = { expression, context: textIn(input, 'context') ?? 'repl', ...(frameId !== undefined && { frameId }) };
  const answer = await current.send('evaluate', args, limits);
  // The program may have changed; what was cached of its frames is asked for again.
  const { result, type, variablesReference } = answer as Partial<DebugProtocol.EvaluateResponse['body']>;
  const text = plainText(String(result ?? '')).replace(/\n+$/, '');
  const kind = typeof type === 'string' && type !== '' ? `(${shown(type, 120)}) ` : '';
  const more = Number(variablesReference) > 0 ? [`variable_ref ${variablesReference}`] : [];
  return {
    lines: [...`${kind}${text === '' ? '(no value)' : text}`.split('\n'), ...more],
    facts: { evaluation: answer },
  };
}

async function setVariable(call: ActionCall): Promise<ActionResult> {
  const { current, input, limits } = call;
  const [name, value] = [requiredText(input, 'name'), requiredText(input, 'value')];
  const reference = numberIn(input, 'variable_ref') ?? numberIn(input, 'scope_id');
  if (reference === undefined && current.capabilities.supportsSetExpression === true) {
    const args = { expression: name, value, frameId: await frameIdFor(call) };
    return changed(name, await current.send('setExpression', args, limits));
  }
  current.require('supportsSetVariable', 'changing variables');
  const variablesReference = reference ?? (await scopeOfVariable(call, name));
  return changed(name, await current.send('setVariable', { variablesReference, name, value }, limits));
}

function changed(name: string, answer: Record<string, unknown>): ActionResult {
  return { lines: [`${shown(name, 200)} = ${shown(answer['value'])}`], facts: { variable: answer } };
}

/** The innermost scope that has a variable of the name. */
async function scopeOfVariable(call: ActionCall, name: string): Promise<number> {
  const { current, limits } = call;
  const frameId = await frameIdFor(call);
  for (const scope of listIn<DebugProtocol.Scope>(await current.send('scopes', { frameId }, limits), 'scopes')) {
    if (scope.expensive) continue;
    const args = { variablesReference: scope.variablesReference };
    const list = listIn<DebugProtocol.Variable>(await current.send('variables', args, limits), 'variables');
    if (list.some((variable) => variable.name === name)) return scope.variablesReference;
  }
  throw errors.create('DEBUG_REQUEST_FAILED', {
    command: 'setVariable',
    reason: `no variable ${name} is in the scopes of this frame; name its scope_id or variable_ref`,
  });
}

async function modules({ current, input, limits }: ActionCall): Promise<ActionResult> {
  current.require('supportsModulesRequest', 'lists of modules');
  const [startModule, moduleCount] = [numberIn(input, 'start_module') ?? 0, numberIn(input, 'module_count')];
  const answer = await current.send(
    'modules',
    { startModule, ...(moduleCount !== undefined && { moduleCount }) },
    limits,
  );
  const all = listIn<DebugProtocol.Module>(answer, 'modules');
  // Some adapters send all of them whatever was asked for.
  const list =
    moduleCount === undefined || all.length <= moduleCount ? all : all.slice(startModule, startModule + moduleCount);
  const lines = list.map(({ name, path, version }) =>
    [name, version, path]
      .filter(Boolean)
      .map((part) => shown(part, 300))
      .join(' '),
  );
  return { lines: lines.length > 0 ? lines : ['There are no modules.'], facts: { modules: list } };
}

async function loadedSources({ current, limits }: ActionCall): Promise<ActionResult> {
  current.require('supportsLoadedSourcesRequest', 'lists of sources');
  const list = listIn<DebugProtocol.Source>(await current.send('loadedSources', {}, limits), 'sources');
  const lines = list.map(({ path, name }) => shown(path ?? name, 400));
  return { lines: lines.length > 0 ? lines : ['There are no sources.'], facts: { sources: list } };
}

async function customRequest({ current, input, limits }: ActionCall): Promise<ActionResult> {
  const command = requiredText(input, 'command');
  const args = (input['arguments'] ?? {}) as object;
  const body = await current.send(command, args, limits);
  return { lines: plainText(JSON.stringify(body, null, 2)).split('\n'), facts: { customBody: body } };
}

/** By action. */
export const lookingActions: Readonly<Record<string, ActionHandler>> = {
  threads,
  stack_trace: stackTrace,
  scopes,
  variables,
  evaluate,
  set_variable: setVariable,
  modules,
  loaded_sources: loadedSources,
  custom_request: customRequest,
};
