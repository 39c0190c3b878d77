/** Adds rules to the policy of the user; comments and order stay. */
import { readFile } from 'node:fs/promises';
import { type Document, isSeq, parseDocument } from 'yaml';
import { replaceFile, withLock } from '../files.ts';
import { parsePolicy } from './load.ts';
import type { RuleData } from './rule.ts';

const HEAD = `# What Tenon may do without asking, must ask about, or must never do. See \`tenon policy list\` and docs/guide/safety.md.\n`;

/** Appends rules. A file that is invalid stays as it is: adding to it would hide the problem. */
export async function addRules(file: string, rules: readonly RuleData[]): Promise<void> {
  await withLock(file, async () => {
    const text = await readFile(file, 'utf8').catch((fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ENOENT') return '';
      throw fault;
    });
    parsePolicy(text, { file });
    const document: Document = parseDocument(text === '' ? HEAD : text);
    if (document.contents === null) document.contents = document.createNode({ rules: [] });
    if (!isSeq(document.get('rules'))) document.set('rules', document.createNode([]));
    for (const rule of rules) document.addIn(['rules'], document.createNode(rule));
    await replaceFile(file, document.toString({ lineWidth: 0 }));
  });
}
