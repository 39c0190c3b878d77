/** Breakpoints in a program of Node. V8 knows lines and conditions; hit counts, log messages and sources of maps are done here. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { messageOf } from '@tenon/kernel';
import { type Facts, factsIn, factsOf, type Inspector } from './cdp.ts';
import { isSameFile, type Scripts, urlPattern } from './scripts.ts';

interface NodeBreakpoint {
  readonly id: number;
  readonly path?: string;
  readonly line?: number;
  readonly name?: string;
  readonly condition: string | undefined;
  readonly hitCondition: string | undefined;
  readonly logMessage: string | undefined;
  /** V8's names for it. */
  readonly v8: Set<string>;
  hits: number;
  verified: boolean;
  actualLine?: number;
  message?: string;
}

/** Where to look for the first place in a function at which V8 can stop. */
interface FunctionStart {
  readonly start: Facts;
  readonly restrictToFunction: boolean;
}

const RUNS_AS_IT_IS = /\.[cm]?js$/;
const SEARCHED_FRAMES = 20;

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** The breakpoints of one program. */
export class NodeBreakpoints {
  readonly #inspector: Inspector;
  readonly #scripts: Scripts;
  readonly #changed: (breakpoint: DebugProtocol.Breakpoint) => void;
  #sources: NodeBreakpoint[] = [];
  #functions: NodeBreakpoint[] = [];
  #count = 0;
  /** V8's name for the breakpoint at the beginning of every script. */
  #watch: string | undefined;

  constructor(inspector: Inspector, scripts: Scripts, changed: (breakpoint: DebugProtocol.Breakpoint) => void) {
    this.#inspector = inspector;
    this.#scripts = scripts;
    this.#changed = changed;
  }

  /** Sets all breakpoints of a file. */
  async setSource(path: string, wanted: readonly Facts[]): Promise<DebugProtocol.Breakpoint[]> {
    await this.#remove(this.#sources.filter((known) => known.path === path));
    const mine = wanted.map((facts) => this.#make(facts, { path, line: Number(facts['line']) }));
    this.#sources = [...this.#sources.filter((known) => known.path !== path), ...mine];
    for (const breakpoint of mine) await this.#place(breakpoint);
    if (!RUNS_AS_IT_IS.test(path) && mine.some(({ verified }) => !verified)) await this.#watchScripts();
    return mine.map(answerOf);
  }

  /** Stops at the beginning of every script: instrumentation does not see those that `require` loads. */
  async #watchScripts(): Promise<void> {
    if (this.#watch !== undefined) return;
    const place = { urlRegex: '^file://(?!.*/node_modules/).*\\.c?js$', lineNumber: 0, columnNumber: 0 };
    this.#watch = String((await this.#inspector.call('Debugger.setBreakpointByUrl', place))['breakpointId']);
  }

  /** Sets all function breakpoints. A function that is not known yet is looked for at every stop. */
  async setFunctions(wanted: readonly Facts[], frames: readonly Facts[]): Promise<DebugProtocol.Breakpoint[]> {
    await this.#remove(this.#functions);
    this.#functions = wanted.map((facts) => this.#make(facts, { name: String(facts['name']) }));
    await this.findFunctions(frames);
    return this.#functions.map(answerOf);
  }

  /** Looks for functions that were not known before. */
  async findFunctions(frames: readonly Facts[]): Promise<void> {
    for (const breakpoint of this.#functions.filter(({ verified }) => !verified)) {
      const { name = '' } = breakpoint;
      if (!/^[\w$]+(?:\.[\w$]+)*$/.test(name)) breakpoint.message = 'this is not a function name';
      else await this.#placeFunction(breakpoint, name, frames);
    }
  }

  /** Scripts may have come that were made from other files: breakpoints in those can be set now. */
  async scriptsCame(): Promise<void> {
    const fresh = this.#scripts.takeFresh().flatMap(({ map }) => map?.sources ?? []);
    const mine = this.#sources.filter(({ path = '' }) => fresh.some((source) => isSameFile(source, path)));
    for (const breakpoint of mine) {
      await this.#remove([breakpoint]);
      await this.#place(breakpoint);
      this.#changed(answerOf(breakpoint));
    }
  }

  /** V8 has found the code of a breakpoint. */
  resolved(v8Id: unknown, location: Facts): void {
    const breakpoint = this.#sources.find(({ v8 }) => v8.has(String(v8Id)));
    if (breakpoint === undefined) return;
    this.#verify(breakpoint, location);
    this.#changed(answerOf(breakpoint));
  }

  /** Whether a stop at these breakpoints counts, as hit counts say. */
  counts(v8Ids: readonly unknown[]): boolean {
    const hit = [...this.#sources, ...this.#functions].filter(({ v8 }) => v8Ids.some((id) => v8.has(String(id))));
    for (const breakpoint of hit) breakpoint.hits++;
    return (
      hit.length === 0 ||
      hit.some(({ hits, hitCondition }) => hitCondition === undefined || isReached(hits, hitCondition))
    );
  }

  /** Whether the program stopped only so that breakpoints could be set in a script that has just come. */
  isOwn(hit: unknown): boolean {
    return Array.isArray(hit) && hit.length > 0 && hit.every((id) => String(id) === this.#watch);
  }

  #make(facts: Facts, target: { path?: string; line?: number; name?: string }): NodeBreakpoint {
    const [condition, hitCondition, logMessage] = ['condition', 'hitCondition', 'logMessage'].map((key) =>
      isText(facts[key]) ? facts[key] : undefined,
    );
    return {
      id: ++this.#count,
      ...target,
      condition,
      hitCondition,
      logMessage,
      v8: new Set(),
      hits: 0,
      verified: false,
    };
  }

  async #place(breakpoint: NodeBreakpoint): Promise<void> {
    const { path = '', line = 1 } = breakpoint;
    breakpoint.verified = false;
    breakpoint.message = 'its file is not loaded yet';
    const condition = conditionOf(breakpoint);
    const made = this.#scripts.madeFrom(path, line);
    const places =
      made.length > 0
        ? made.map(({ script, at }) => ({ url: script.url, lineNumber: at.line, columnNumber: at.column }))
        : [{ urlRegex: urlPattern(path), lineNumber: line - 1 }];
    for (const place of places) {
      try {
        const { breakpointId, locations } = await this.#inspector.call('Debugger.setBreakpointByUrl', {
          ...place,
          condition,
        });
        breakpoint.v8.add(String(breakpointId));
        const [first] = factsIn(locations);
        if (first !== undefined) this.#verify(breakpoint, first);
      } catch (fault) {
        breakpoint.message = messageOf(fault);
      }
    }
  }

  async #placeFunction(breakpoint: NodeBreakpoint, name: string, frames: readonly Facts[]): Promise<void> {
    breakpoint.message = 'the function is not known here yet; it is looked for again at every stop';
    try {
      const start = (await this.#startInFrames(name, frames)) ?? (await this.#startInScripts(name));
      if (start === undefined) return;
      const { locations } = await this.#inspector.call('Debugger.getPossibleBreakpoints', start);
      const location = factsIn(locations)[0] ?? start.start;
      const condition = conditionOf(breakpoint);
      const answer = await this.#inspector.call('Debugger.setBreakpoint', { location, condition });
      breakpoint.v8.add(String(answer['breakpointId']));
      this.#verify(breakpoint, factsOf(answer['actualLocation']));
      this.#changed(answerOf(breakpoint));
    } catch (fault) {
      breakpoint.message = messageOf(fault);
    }
  }

  /** Looks at the functions that run, and at what their code can name. */
  async #startInFrames(name: string, frames: readonly Facts[]): Promise<FunctionStart | undefined> {
    const running = frames.find(({ functionName }) => functionName === name);
    if (running !== undefined) return { start: factsOf(running['functionLocation']), restrictToFunction: true };
    const expression = `typeof ${name} === 'function' ? ${name} : undefined`;
    for (const { callFrameId } of frames.slice(0, SEARCHED_FRAMES)) {
      const args = { expression, silent: true, callFrameId };
      const { result } = await this.#inspector.call('Debugger.evaluateOnCallFrame', args);
      const { objectId } = factsOf(result);
      if (objectId !== undefined) return { start: await this.#startOf(objectId), restrictToFunction: true };
    }
    return undefined;
  }

  /** Looks for the words that define a function, in scripts of the program itself. */
  async #startInScripts(name: string): Promise<FunctionStart | undefined> {
    const word = (name.split('.').at(-1) ?? name).replaceAll('$', '\\$');
    const query = [
      `function\\*?\\s+${word}\\s*\\(`,
      `\\b${word}\\s*[:=]\\s*(?:async\\s*)?(?:function\\b|\\(|\\w+\\s*=>)`,
      `^\\s*(?:(?:static|async)\\s+)*\\*?${word}\\s*\\([^)]*\\)\\s*\\{`,
    ].join('|');
    for (const { id: scriptId } of this.#scripts.own) {
      const { result } = await this.#inspector.call('Debugger.searchInContent', { scriptId, query, isRegex: true });
      const [found] = factsIn(result);
      if (found === undefined) continue;
      // Behind the head of the function, so that its body comes first.
      const column = String(found['lineContent']).search(new RegExp(query)) + word.length;
      return { start: { scriptId, lineNumber: found['lineNumber'], columnNumber: column }, restrictToFunction: false };
    }
    return undefined;
  }

  /** Where the code of a function begins. */
  async #startOf(objectId: unknown): Promise<Facts> {
    const { internalProperties } = await this.#inspector.call('Runtime.getProperties', {
      objectId,
      ownProperties: true,
    });
    const found = factsIn(internalProperties).find(({ name }) => name === '[[FunctionLocation]]');
    const start = factsOf(factsOf(found?.['value'])['value']);
    if (start['scriptId'] === undefined) throw new Error('the function is not written in JavaScript');
    return start;
  }

  #verify(breakpoint: NodeBreakpoint, location: Facts): void {
    breakpoint.verified = true;
    delete breakpoint.message;
    if (location['scriptId'] === undefined) return;
    breakpoint.actualLine = this.#scripts.placeOf(location).line;
  }

  async #remove(breakpoints: readonly NodeBreakpoint[]): Promise<void> {
    for (const { v8 } of breakpoints) {
      for (const breakpointId of v8) await this.#inspector.call('Debugger.removeBreakpoint', { breakpointId });
      v8.clear();
    }
  }
}

function answerOf({ id, verified, actualLine, message }: NodeBreakpoint): DebugProtocol.Breakpoint {
  return {
    id,
    verified,
    ...(actualLine !== undefined && { line: actualLine }),
    ...(message !== undefined && { message }),
  };
}

/** A log message is a condition that writes and is never true. */
function conditionOf({ condition, logMessage }: NodeBreakpoint): string | undefined {
  if (logMessage === undefined) return condition;
  const parts = logMessage.split(/\{([^{}]*)\}/);
  const written = parts.map((part, index) => (index % 2 === 1 ? `(${part})` : JSON.stringify(part))).join(' + ');
  const log = `(globalThis.console.log(${written}), false)`;
  return condition === undefined ? log : `(${condition}) && ${log}`;
}

/** `3` and `== 3`, `>= 3`, `% 2`…; what cannot be read stops always. */
export function isReached(hits: number, condition: string): boolean {
  const [, operator = '==', digits] = /^\s*(==?=?|>=?|<=?|%)?\s*(\d+)\s*$/.exec(condition) ?? [];
  if (digits === undefined) return true;
  const count = Number(digits);
  switch (operator) {
    case '>':
      return hits > count;
    case '>=':
      return hits >= count;
    case '<':
      return hits < count;
    case '<=':
      return hits <= count;
    case '%':
      return count > 0 && hits % count === 0;
    default:
      return hits === count;
  }
}
