/** A stopped program of Node: its frames, scopes and variables, by the numbers that DAP uses. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { type Facts, factsIn, factsOf, type Inspector } from './cdp.ts';
import type { Scripts } from './scripts.ts';
import { kindText, valueText } from './values.ts';

interface Reference {
  readonly objectId: string;
  /** For scopes: the frame, in which a variable is changed. */
  readonly callFrameId?: string;
}

/** What can be seen until the program goes on. */
export class StoppedView {
  readonly #inspector: Inspector;
  readonly #scripts: Scripts;
  /** As V8 tells them, the newest first. */
  readonly frames: readonly Facts[];
  readonly #references: Reference[] = [];

  constructor(inspector: Inspector, scripts: Scripts, frames: readonly Facts[]) {
    this.#inspector = inspector;
    this.#scripts = scripts;
    this.frames = frames;
  }

  /** V8's name for a frame; for the newest when none is named. */
  callFrameId(frameId?: unknown): string | undefined {
    const frame = this.frames[frameId === undefined ? 0 : Number(frameId) - 1];
    return frame === undefined ? undefined : String(frame['callFrameId']);
  }

  stackTrace({ startFrame = 0, levels = 0 }: Facts): object {
    const frames = this.frames.map((frame, index): DebugProtocol.StackFrame => {
      const { path, url, line, column } = this.#scripts.placeOf(factsOf(frame['location']));
      const name = path ?? url;
      return {
        id: index + 1,
        name: String(frame['functionName'] || '(anonymous)'),
        line,
        column,
        ...(name !== '' && { source: { name: name.split('/').at(-1) ?? name, path: name } }),
      };
    });
    const start = Number(startFrame);
    const end = Number(levels) > 0 ? start + Number(levels) : frames.length;
    return { stackFrames: frames.slice(start, end), totalFrames: frames.length };
  }

  scopes({ frameId }: Facts): object {
    const frame = this.frames[Number(frameId) - 1];
    if (frame === undefined) throw new Error('there is no such frame');
    const callFrameId = String(frame['callFrameId']);
    const scopes = factsIn(frame['scopeChain']).flatMap((scope): DebugProtocol.Scope[] => {
      const { objectId } = factsOf(scope['object']);
      if (typeof objectId !== 'string') return [];
      const type = String(scope['type']);
      const name = typeof scope['name'] === 'string' && scope['name'] !== '' ? `${type} (${scope['name']})` : type;
      return [{ name, variablesReference: this.#refer({ objectId, callFrameId }), expensive: type === 'global' }];
    });
    return { scopes };
  }

  async variables({ variablesReference }: Facts): Promise<object> {
    const { objectId } = this.#known(variablesReference);
    const answer = await this.#inspector.call('Runtime.getProperties', {
      objectId,
      ownProperties: true,
      generatePreview: true,
    });
    const inner = factsIn(answer['internalProperties']).filter(
      ({ name }) => name === '[[Entries]]' || name === '[[PromiseState]]' || name === '[[PromiseResult]]',
    );
    const variables = [...factsIn(answer['result']), ...inner].map((property): DebugProtocol.Variable => {
      const name = String(property['name']);
      if (property['value'] === undefined)
        return { name, value: property['get'] ? '(getter)' : '(not initialized)', variablesReference: 0 };
      return { name, ...this.shown(factsOf(property['value'])) };
    });
    return { variables };
  }

  /** A value, with a number under which its parts can be asked for. */
  shown(value: Facts): { value: string; type: string; variablesReference: number } {
    const { objectId } = value;
    const variablesReference = typeof objectId === 'string' ? this.#refer({ objectId }) : 0;
    return { value: valueText(value), type: kindText(value), variablesReference };
  }

  /** Changes a variable of a scope, or a property of an object. */
  async setVariable({ variablesReference, name, value }: Facts): Promise<object> {
    const { objectId, callFrameId } = this.#known(variablesReference);
    if (callFrameId !== undefined) {
      if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(String(name))) throw new Error('this is not a variable name');
      const expression = `${String(name)} = (${String(value)})`;
      return this.shown(await evaluated(this.#inspector, { expression, callFrameId }));
    }
    const wanted = await evaluated(this.#inspector, { expression: String(value), callFrameId: this.callFrameId() });
    const answer = await this.#inspector.call('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration: 'function (name, value) { this[name] = value; return this[name]; }',
      arguments: [{ value: String(name) }, argumentOf(wanted)],
      generatePreview: true,
    });
    if (answer['exceptionDetails'] !== undefined) throw new Error(exceptionText(factsOf(answer['exceptionDetails'])));
    return this.shown(factsOf(answer['result']));
  }

  #refer(reference: Reference): number {
    return this.#references.push(reference);
  }

  #known(reference: unknown): Reference {
    const found = this.#references[Number(reference) - 1];
    if (found === undefined)
      throw new Error('there is no such reference; those of an earlier stop are not valid any more');
    return found;
  }
}

/** Evaluates in a frame, or where no frame is; rejects with what the code throws. */
export async function evaluated(
  inspector: Inspector,
  { expression, callFrameId }: { readonly expression: string; readonly callFrameId: string | undefined },
): Promise<Facts> {
  const common = { expression, generatePreview: true, silent: true };
  const answer =
    callFrameId === undefined
      ? await inspector.call('Runtime.evaluate', { ...common, replMode: true, includeCommandLineAPI: true })
      : await inspector.call('Debugger.evaluateOnCallFrame', { ...common, callFrameId, includeCommandLineAPI: true });
  if (answer['exceptionDetails'] !== undefined) throw new Error(exceptionText(factsOf(answer['exceptionDetails'])));
  return factsOf(answer['result']);
}

/** What an exception says. */
export function exceptionText({ exception, text }: Facts): string {
  const { description, value } = factsOf(exception);
  return String(description ?? value ?? text ?? 'it threw something');
}

function argumentOf({ objectId, value, unserializableValue }: Facts): object {
  if (objectId !== undefined) return { objectId };
  return unserializableValue === undefined ? { value } : { unserializableValue };
}
