/** Writes what a run gave to the outputs of the step and to the summary of the job. */
import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { plain } from '../plain.mjs';

const [file = '', code = '1'] = process.argv.slice(2);
const { GITHUB_OUTPUT: outputs, GITHUB_STEP_SUMMARY: summary } = process.env;

/** The result; nothing when the run ended before there was one. */
function read() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {}; // Standard error of the step says why.
  }
}

const { result = '', offline = false } = read();
const text = typeof result === 'string' ? result : JSON.stringify(result);

if (outputs) {
  // A mark that nobody can guess: an answer could otherwise end its output early and write others.
  const mark = `tenon-${randomUUID()}`;
  const values = { result: text, file, 'exit-code': code, offline: String(offline) };
  for (const [name, value] of Object.entries(values)) appendFileSync(outputs, `${name}<<${mark}\n${value}\n${mark}\n`);
}
if (summary && text !== '') appendFileSync(summary, `${text}\n`);
if (text !== '') process.stdout.write(`${plain(text)}\n`);
