/** What a call touches, for approval and rules. */
import { resolvePath, type Touches } from '@tenon/tools/api';
import { fileOf, parseAddress } from './address.ts';
import { type Action, type Step, stepsOf } from './steps.ts';

/** Actions that look at a page and send nothing. */
const LOOKS: readonly Action[] = [
  'tabs',
  'close',
  'observe',
  'extract',
  'get_text',
  'get_html',
  'get_attribute',
  'screenshot',
  'console',
  'network',
  'downloads',
  'wait_for',
];

/** What the steps of a call touch together. */
export function touchesOfCall(
  input: Readonly<Record<string, unknown>>,
  { cwd, files, partial }: { readonly cwd: string; readonly files: boolean; readonly partial: boolean },
): Touches {
  // While a model writes, parts are missing; a call that is finished and wrong is refused here, before anybody is asked.
  const steps = partial && input['action'] === undefined && input['steps'] === undefined ? [] : stepsOf(input);
  const reads: string[] = [];
  const writes: string[] = [];
  const hosts: string[] = [];
  let usesNetwork = false;
  for (const step of steps) {
    const url = addressOf(step, files, partial);
    const file = url && fileOf(url);
    if (file !== undefined) reads.push(file);
    else if (url && url.protocol !== 'about:') hosts.push(url.href);
    usesNetwork ||= hosts.length > 0 || !(LOOKS.includes(step.action) || step.action === 'open');
    if (step.action === 'upload') reads.push(...(step.files ?? []).map((path) => resolvePath(cwd, path)));
    if (step.action === 'screenshot' && step.path !== undefined) writes.push(resolvePath(cwd, step.path));
  }
  const codes = steps.filter(({ action, code }) => action === 'run' && code !== undefined);
  return {
    ...(reads.length > 0 && { reads }),
    ...(writes.length > 0 && { writes }),
    ...(usesNetwork && { hosts }),
    ...(codes.length > 0 && {
      commands: codes.map(({ code = '' }) => ({ text: code, language: 'javascript', cwd })),
    }),
  };
}

function addressOf({ action, url }: Step, files: boolean, partial: boolean): URL | undefined {
  if (url === undefined || (action !== 'open' && action !== 'goto')) return undefined;
  try {
    return parseAddress(url, { files });
  } catch (fault) {
    if (partial) return undefined; // The rest of the address is still to come.
    throw fault;
  }
}
