/** Adds rules to the policy of the user; comments and order stay. */
import { updateFile } from '@tenon/state-files';
import { type Document, isSeq, parseDocument } from 'yaml';
import { parsePolicy } from './load.ts';
import type { RuleData } from './rule.ts';

const HEAD = `# What Tenon may do without asking, must ask about, or must never do. See \`tenon policy list\` and \`tenon read docs://guide/safety.md\`.\n`;

/** Appends rules. A file that is invalid stays as it is: adding to it would hide the problem. */
export async function addRules(file: string, rules: readonly RuleData[]): Promise<void> {
  await updateFile(file, (text = '') => {
    parsePolicy(text, { file });
    const document: Document = parseDocument(text === '' ? HEAD : text);
    if (document.contents === null) document.contents = document.createNode({ rules: [] });
    if (!isSeq(document.get('rules'))) document.set('rules', document.createNode([]));
    for (const rule of rules) document.addIn(['rules'], document.createNode(rule));
    return document.toString({ lineWidth: 0 });
  });
}
