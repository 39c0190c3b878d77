/** URLs of Tenon's own schemes in a command become paths of files. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, TenonError } from '@tenon/kernel';
import type { Accelerators } from '@tenon/native';
import type { UrlRouter, UrlScope } from '@tenon/urls/api';
import { errors } from './errors.ts';
import { quote } from './quote.ts';

type TreeNode = Extract<Awaited<ReturnType<Accelerators['syntax']['tree']>>, { ok: true }>['value'];

/** What names a file of a URL. */
export interface UrlHost {
  readonly router: UrlRouter;
  readonly syntax: Accelerators['syntax'];
  readonly scope: UrlScope;
  readonly signal: AbortSignal;
  /** Called with every file that the command is told about. */
  onFile(path: string): void;
}

/** What programs fetch by themselves. */
const REMOTE = new Set(['http', 'https', 'file', 'ftp', 'ssh', 'git']);
const ANY_URL = /[a-z][a-z0-9+.-]*:\/\//i;
/** A word that is a URL, or an option or assignment with one. */
const URL_WORD = /^((?:-{0,2}[\w-]+=)?)([a-z][a-z0-9+.-]*:\/\/[^\s$`'"\\]*)$/i;

/** True when there is nothing to do. */
export function hasNoUrl(value: unknown): boolean {
  return typeof value !== 'string' || !ANY_URL.test(value);
}

/** The command with paths, quoted, instead of URLs. Only whole words are looked at, never a part of a text. */
export async function expandCommand(command: string, host: UrlHost): Promise<string> {
  if (hasNoUrl(command)) return command;
  const parsed = await host.syntax.tree({ content: command, language: 'bash' });
  if (!parsed.ok) return command;
  const bytes = Buffer.from(command);
  const parts: Buffer[] = [];
  let at = 0;
  for (const { node, isOutput } of words(parsed.value, false)) {
    const text = bytes.subarray(node.start, node.end).toString('utf8');
    const [, before, url] = URL_WORD.exec(unquoted(text, node.kind)) ?? [];
    if (before === undefined || url === undefined || !isInternal(url, host)) continue;
    const path = await fileOf(url, host, isOutput);
    parts.push(bytes.subarray(at, node.start), Buffer.from(before + quote(path)));
    at = node.end;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]).toString('utf8');
}

/** A text that is nothing but a URL becomes a path; it is not quoted, because no shell reads it. */
export async function expandValue(value: unknown, host: UrlHost): Promise<unknown> {
  return typeof value === 'string' && isInternal(value, host) ? fileOf(value, host, false) : value;
}

function isInternal(text: string, { router }: UrlHost): boolean {
  const scheme = router.schemeOf(text);
  return scheme !== undefined && !REMOTE.has(scheme);
}

/** Reads at most: nothing is written before the command is allowed, but for the folder that output goes to. */
async function fileOf(url: string, host: UrlHost, isOutput: boolean): Promise<string> {
  const path = await fileBehind(url, host, isOutput);
  if (!isOutput) host.onFile(path);
  return path;
}

async function fileBehind(url: string, { router, scope, signal }: UrlHost, isOutput: boolean): Promise<string> {
  const call = { signal, scope };
  try {
    const located = await router.locate(url, call);
    if (located !== undefined && isOutput) await mkdir(dirname(located), { recursive: true });
    if (located !== undefined && (isOutput || existsSync(located))) return located;
    const { file } = await router.read(url, call);
    if (file !== undefined) return file;
  } catch (fault) {
    throw explained(url, fault);
  }
  throw errors.create('SHELL_TOOLS_URL_NO_FILE', { url });
}

function explained(url: string, fault: unknown): Error {
  if (fault instanceof TenonError) return fault;
  return errors.create('SHELL_TOOLS_URL_FAILED', { url, reason: messageOf(fault) }, fault);
}

const WORDS = new Set(['word', 'string', 'raw_string', 'concatenation']);

/** The words of a command in their order, those of commands inside of words too; the bodies of here-documents are text. */
function* words(node: TreeNode, isOutput: boolean, isInWord = false): Generator<{ node: TreeNode; isOutput: boolean }> {
  if (node.kind === 'heredoc_body') return;
  const isWord = WORDS.has(node.kind);
  if (isWord && !isInWord) yield { node, isOutput };
  const writes = node.kind === 'file_redirect' && (node.children ?? []).some(({ kind }) => /^&?>/.test(kind));
  const isInside = isWord || (isInWord && !node.kind.endsWith('_substitution'));
  for (const child of node.children ?? []) yield* words(child, writes, isInside);
}

function unquoted(text: string, kind: string): string {
  return kind === 'raw_string' || kind === 'string' ? text.slice(1, -1) : text;
}
