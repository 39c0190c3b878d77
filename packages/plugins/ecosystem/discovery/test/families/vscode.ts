import { command, json } from '../fixture-texts.ts';

/** Path -> text. */
export const files: Readonly<Record<string, string>> = {
  'project/.vscode/mcp.json':
    '{\n  "inputs": [],\n  "servers": { "vscode-mcp": { "command": "code", "env": { "K": "${input:key}" } } }, // ok\n}\n',
  'project/.vscode/settings.json': json({ 'editor.tabSize': 2 }),
  'home/.config/Code/User/prompts/vscode-user.prompt.md': command('A prompt of the user'),
  'home/.config/Code/User/prompts/vscode-user.instructions.md': '---\napplyTo: "**"\n---\nFor all.\n',
};
