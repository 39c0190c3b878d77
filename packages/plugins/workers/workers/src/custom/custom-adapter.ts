/** An adapter that settings describe: a plain CLI needs no code. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ParserContext, WorkerAdapter, WorkerCommand, WorkerParser, WorkerTask } from '../api.ts';
import { BUILT_IN, type BuiltInName } from '../adapters/built-in.ts';
import { commandEnv, interactiveEnv } from '../command/environment.ts';
import { mcpFile } from '../command/mcp-servers.ts';
import { optionsSchema } from '../command/options.ts';
import { guardedWord, taskText } from '../command/task-text.ts';
import { genericEventParser } from '../parsing/generic-events.ts';
import type { LinePatterns } from '../parsing/patterns.ts';
import { textParser } from '../parsing/text-parser.ts';
import type { WorkerCapabilities, WorkerSpec } from '../spec.ts';
import { checkCustom, type CustomSettings, patternsOf } from './check.ts';

type Places = Readonly<Record<string, string>>;

/** Makes the adapter; throws `WORKERS_CUSTOM`, which names the key that is wrong. */
export async function customAdapter(id: string, settings: CustomSettings): Promise<WorkerAdapter> {
  checkCustom(id, settings);
  const { output = 'text' } = settings;
  const patterns = { banners: patternsOf(id, settings, 'banners'), errors: patternsOf(id, settings, 'errors') };
  const [session] = patternsOf(id, settings, 'session');
  const model = output in BUILT_IN ? (await BUILT_IN[output as BuiltInName]()).adapter : undefined;
  const spec = specOf(id, settings, model?.spec.capabilities);
  const parser = (context: ParserContext): WorkerParser =>
    model?.parser(context) ?? parserOf(context, output, patterns, session);
  const { interactiveArgs } = settings;
  return {
    spec,
    command: (task) => command(spec, settings, task),
    ...(interactiveArgs && {
      interactive: (id: string, { cwd, scratch, model: name = '' }) => ({
        program: spec.program,
        args: filled(interactiveArgs, { session: id, cwd, scratch, model: name }),
        env: interactiveEnv(spec),
      }),
    }),
    parser,
  };
}

function parserOf(
  context: ParserContext,
  output: string,
  patterns: LinePatterns,
  session: RegExp | undefined,
): WorkerParser {
  if (output === 'json-lines') return genericEventParser(context, patterns);
  return textParser(context, { ...patterns, ...(session && { session }) });
}

function command(spec: WorkerSpec, settings: CustomSettings, task: WorkerTask): WorkerCommand {
  const text = taskText(task, spec.capabilities);
  const mcp = settings.mcpFlag === undefined ? undefined : mcpFile(task);
  const flags = [
    ...flag(settings.modelFlag, task.model),
    ...flag(settings.systemPromptFlag, task.systemPrompt),
    ...(task.folders ?? []).flatMap((folder) => flag(settings.folderFlag, folder)),
    ...flag(settings.mcpFlag, mcp?.path),
    ...(task.extraArgs ?? []),
  ];
  const resumes = task.session?.how === 'resume' && settings.resumeArgs !== undefined;
  const words = (resumes ? settings.resumeArgs : settings.args) ?? [];
  const places = {
    prompt: text.word,
    cwd: task.cwd,
    scratch: task.scratch,
    model: task.model ?? '',
    session: task.session?.id ?? '',
  };
  return {
    program: spec.program,
    args: words.includes('{flags}')
      ? words.flatMap((word) => (word === '{flags}' ? flags : filled([word], places)))
      : [...filled(words, places), ...flags],
    env: commandEnv(spec),
    files: [...text.files, ...(mcp ? [mcp] : [])],
  };
}

/** Words without a value (`{model}` where none is named) stay away. */
function filled(words: readonly string[], places: Places): string[] {
  return words.flatMap((word) => {
    const whole = /^\{(\w+)\}$/.exec(word)?.[1];
    if (whole === undefined) return [word.replace(/\{(\w+)\}/g, (found, name: string) => places[name] ?? found)];
    const value = places[whole] ?? '';
    return value === '' && whole !== 'prompt' ? [] : [guardedWord(value, /^-/)];
  });
}

function flag(name: string | undefined, value: string | undefined): string[] {
  return name === undefined || value === undefined || value === '' ? [] : [name, value];
}

function specOf(id: string, settings: CustomSettings, model: WorkerCapabilities | undefined): WorkerSpec {
  const { dropEnv, env, homepage, install, sideEffects = [] } = settings;
  return {
    id,
    name: settings.name ?? id,
    program: atHome(settings.program),
    ...(homepage !== undefined && { homepage }),
    ...(install !== undefined && { install }),
    versionArgs: settings.versionArgs ?? ['--version'],
    vendor: settings.vendor ?? id,
    hosts: settings.hosts ?? [],
    state: (settings.state ?? []).map((path) => ({ path })),
    keyVariables: settings.keyVariables ?? [],
    ...(dropEnv && { dropVariables: dropEnv }),
    ...(env && { env }),
    options: optionsSchema({}),
    capabilities: capabilitiesOf(settings, model),
    probe: { kind: 'none' },
    sideEffects,
  };
}

function capabilitiesOf(settings: CustomSettings, model: WorkerCapabilities | undefined): WorkerCapabilities {
  const { output = 'text', args } = settings;
  const isText = output === 'text';
  return {
    version: 1,
    output: isText ? 'text' : (model?.output ?? 'events'),
    resume: settings.resumeArgs ? 'id' : 'none',
    presetSession: false,
    interactive: settings.interactiveArgs !== undefined,
    systemPrompt: settings.systemPromptFlag === undefined ? 'prompt' : 'flag',
    structuredOutput: 'prompt',
    models: settings.modelFlag !== undefined || args.some((word) => word.includes('{model}')),
    images: false,
    mcp: settings.mcpFlag === undefined ? 'none' : 'flag',
    addFolders: settings.folderFlag !== undefined,
    // What another CLI writes to files of its own is not there for this one.
    usage: isText || model?.usage === 'file' ? 'none' : (model?.usage ?? 'run'),
    cost: model?.cost ?? false,
    ownSandbox: false,
    yolo: 'always',
    tools: [],
  };
}

function atHome(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}
