/** Reads a policy file. Anything that is not exactly right is an error with its line: a rule that is dropped protects nobody. */
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { messageOf } from '@tenon/kernel';
import { nearest } from '@tenon/wording';
import { errors } from '../errors.ts';
import { pathPattern } from './patterns.ts';
import { type PolicyRule, RULE_KEYS, type RuleData } from './rule.ts';

/** Where a policy comes from. */
export interface PolicyOrigin {
  readonly file: string;
  /** The folder that relative globs start at; the workspace when absent. */
  readonly base?: string;
}

/** The rules of a policy's text. Examples are checked by `checkExamples`. */
export function parsePolicy(text: string, { file, base }: PolicyOrigin): PolicyRule[] {
  const lines = new LineCounter();
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
  });
  const lineOf = (node: unknown) => Math.max(1, lines.linePos((node as Node | null)?.range?.[0] ?? 0).line);
  const fail = (node: unknown, problem: string) =>
    errors.create('APPROVAL_POLICY_INVALID', { file, line: lineOf(node), problem });
  const [syntax] = [...document.errors, ...document.warnings];
  if (syntax) {
    const problem = `it is not valid YAML (${syntax.message.split('\n')[0]})`;
    throw errors.create('APPROVAL_POLICY_INVALID', { file, line: lines.linePos(syntax.pos[0]).line, problem }, syntax);
  }
  const { contents } = document;
  if (contents === null) return [];
  if (!isMap(contents)) throw fail(contents, 'it must be a mapping with the key "rules"');
  for (const { key } of contents.items) {
    const name = String(isScalar(key) ? key.value : key);
    if (name !== 'rules' && name !== 'version') throw fail(key, `the key "${name}" is not known; a policy has "rules"`);
  }
  const version = contents.get('version') ?? 1;
  if (version !== 1)
    throw fail(contents.get('version', true), `its version is ${JSON.stringify(version)}; this Tenon knows version 1`);
  const rules = contents.get('rules', true);
  if (rules === undefined || (isScalar(rules) && rules.value === null)) return [];
  if (!isSeq(rules)) throw fail(rules, '"rules" must be a list');
  return rules.items.map((item) => {
    if (!isMap(item)) throw fail(item, 'a rule must be a mapping such as `decide: deny`');
    let data: unknown;
    try {
      data = item.toJS(document);
    } catch (fault) {
      throw fail(item, messageOf(fault));
    }
    const problem = ruleProblem(data as Record<string, unknown>);
    if (problem) {
      const pair = item.items.find(({ key }) => isScalar(key) && key.value === problem.key);
      throw fail(pair?.key ?? item, problem.text);
    }
    return { ...(data as RuleData), file, line: lineOf(item), ...(base !== undefined && { base }) };
  });
}

interface Problem {
  readonly key: string;
  readonly text: string;
}

function ruleProblem(rule: Record<string, unknown>): Problem | undefined {
  const unknown = Object.keys(rule).find((key) => !(RULE_KEYS as readonly string[]).includes(key));
  if (unknown !== undefined) {
    const meant = nearest(unknown, [...RULE_KEYS]);
    return {
      key: unknown,
      text: `the key "${unknown}" is not known${meant === undefined ? '' : `; did you mean "${meant}"?`}`,
    };
  }
  const { decide, tool, command, path, call, fingerprint, sandbox, tier3, reason, examples } = rule;
  if (!['allow', 'ask', 'deny'].includes(String(decide))) {
    return {
      key: 'decide',
      text: `"decide" must be allow, ask or deny${decide === undefined ? ', and is missing' : ''}`,
    };
  }
  if (!isTexts(tool)) return { key: 'tool', text: '"tool" must be a name or a list of names' };
  if (!isTexts(command)) return { key: 'command', text: '"command" must be a text or a list of words' };
  if (path !== undefined && !isText(path)) return { key: 'path', text: '"path" must be a glob' };
  if (isText(path) && !isValidGlob(path)) return { key: 'path', text: '"path" is not a valid glob' };
  if (call !== undefined && !(isText(call) && /^[0-9a-f]{64}$/.test(call)))
    return { key: 'call', text: '"call" must be a fingerprint that Tenon wrote' };
  if (fingerprint !== undefined && !(isText(fingerprint) && /^[0-9a-f]{32}$/.test(fingerprint)))
    return { key: 'fingerprint', text: '"fingerprint" must be one that Tenon wrote' };
  if (sandbox !== undefined && sandbox !== 'network' && sandbox !== 'outside')
    return { key: 'sandbox', text: '"sandbox" must be network or outside' };
  if (sandbox !== undefined && decide !== 'allow')
    return { key: 'sandbox', text: '"sandbox" only makes sense with `decide: allow`' };
  if (tier3 !== undefined && typeof tier3 !== 'boolean') return { key: 'tier3', text: '"tier3" must be true or false' };
  if (tier3 === true && decide !== 'allow')
    return { key: 'tier3', text: '"tier3" only makes sense with `decide: allow`' };
  if (reason !== undefined && !isText(reason)) return { key: 'reason', text: '"reason" must be a text' };
  if ([tool, command, path, call].every((condition) => condition === undefined)) {
    return { key: 'decide', text: 'the rule has no condition: give a tool, a command or a path' };
  }
  return examplesProblem(examples);
}

function examplesProblem(examples: unknown): Problem | undefined {
  if (examples === undefined) return undefined;
  const isFine =
    typeof examples === 'object' &&
    examples !== null &&
    !Array.isArray(examples) &&
    Object.entries(examples).every(
      ([key, list]) => /^(match|not)$/.test(key) && Array.isArray(list) && list.every(isText),
    );
  return isFine ? undefined : { key: 'examples', text: '"examples" must have the lists "match" and "not" of texts' };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isTexts(value: unknown): boolean {
  return value === undefined || isText(value) || (Array.isArray(value) && value.length > 0 && value.every(isText));
}

function isValidGlob(glob: string): boolean {
  try {
    pathPattern(glob, { base: '/', home: '/' });
    return true;
  } catch {
    return false; // The caller says which rule it is.
  }
}
