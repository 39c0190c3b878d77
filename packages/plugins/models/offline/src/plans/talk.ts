/** Answers that need no tool: what the rules can do, what they cannot, and how to get a real model. */
import { answers, beyondRules, type Plan, said } from '../plan.ts';
import { looksLikePath } from '../language/file-types.ts';
import { code } from './wording.ts';

const ABILITIES = `- find files: \`find all *.test.ts files in src\`
- search text: \`search for "connection refused"\`, \`who calls loadUser\`
- look at code: \`outline src/app.ts\`, \`explain the function loadUser\`, \`list the classes in src\`
- ask a language server, if one is installed: \`find references of loadUser\`, \`what does the type checker say about src/app.ts\`
- rename: \`rename the function loadUser to fetchUser everywhere\`
- rewrite by structure: \`\` rewrite \`console.log($A)\` to \`logger.info($A)\` \`\`
- replace text: \`replace "colour" with "color" in docs\`
- create files: \`create a file notes.txt with "hello"\`, \`append "dist/" to .gitignore\`
- run things: \`run the tests\`, \`\` run \`npm run build\` \`\`
- git: \`git status\`, \`show the diff\`, \`show the last 5 commits\`
- to-dos: \`list the todos\``;

const SETUP = `To use a real model, do one of these:

- log in or store a key: \`/login\` on the screen, or \`tenon auth login PROVIDER\`, for example \`tenon auth login anthropic\`
- set an environment variable and start again: \`ANTHROPIC_API_KEY\`, \`OPENAI_API_KEY\`, \`GEMINI_API_KEY\`, \`OPENROUTER_API_KEY\` …
- start a local server, then Tenon again: it finds Ollama, llama.cpp, LM Studio and vLLM

\`tenon models list\` shows what is available, \`--model provider/name\` chooses one.`;

/** What the rules can do. */
export const help: Plan = answers(() => {
  return said(
    `I am Tenon's offline model: fixed rules, no network, no key. I turn plain requests into the same tool calls that a real model would make.\n\n${ABILITIES}\n\n${SETUP}`,
  );
});

/** How to get a real model. */
export const setup: Plan = answers(() => {
  return said(`This answer comes from \`offline/rules\`: fixed rules without a model behind them.\n\n${SETUP}`);
});

/** A request that the rules do not understand. */
export const notUnderstood: Plan = answers((request) => {
  const words = request.text.trim().replace(/\s+/g, ' ');
  const shown = words.length > 120 ? `${words.slice(0, 120)}…` : words;
  return beyondRules(
    `"${shown}" needs a real model: no rule of the offline model fits it, and it does not guess. Nothing was changed.\n\n${SETUP}\n\nWithout a model I can do these:\n\n${ABILITIES}`,
  );
});

/** "create a file with a function that …": the content would have to be thought up. */
export const describedContent: Plan = answers((request) => {
  const path = request.slots['path'] ?? '';
  return beyondRules(
    `Writing the content of ${code(path)} from a description needs a real model. Nothing was changed.\n\n` +
      `I can write text that you give word for word: create a file ${path} with "…", or with a block in \`\`\`.\n\n${SETUP}`,
  );
});

/** Nothing is deleted by a rule. */
export const deletion: Plan = answers((request) => {
  const what = request.slots['what'] ?? '';
  const path = looksLikePath(what) ? what : 'old.ts';
  return beyondRules(
    `I delete nothing: to know what is not needed any more needs a real model. Nothing was changed. ` +
      `To delete a file all the same, give me the command, for example: run \`git rm ${path}\`. To delete a text, put it in quotes: remove "debugger;" from src/a.ts.\n\n${SETUP}`,
  );
});

/** Moving a file is easy, the imports of it are not. */
export const moveFile: Plan = answers((request) => {
  const [old = '', next = ''] = [request.slots['old'], request.slots['new']];
  return beyondRules(
    `I do not move files by myself, because the imports of ${code(old)} would have to follow, and that needs a real model. ` +
      `To move just the file, say: run \`git mv ${old} ${next}\``,
  );
});

/** The user decided against it. */
export const nothing: Plan = answers(() => {
  return said('Nothing was changed.');
});

/** Politeness needs no tool either. */
export const thanks: Plan = answers(() => {
  return said('You are welcome. Say "help" to see what else I can do without a model.');
});
