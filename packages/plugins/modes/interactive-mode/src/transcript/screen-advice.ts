/** What errors advise on a command line, as the screen has it. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/`tenon auth login ([\w.-]+)`/g, '/login $1'],
  [/\bwith --model\b/g, 'with /model'],
  [/`tenon models list`/g, '/model'],
  [/ \(in a shell: `[^`]+`\)/g, ''],
];

/** Advice for somebody who sits at the screen: its slash commands instead of flags and other programs. */
export function screenAdvice(text: string): string {
  return ADVICE.reduce((said, [pattern, own]) => said.replaceAll(pattern, own), text);
}
