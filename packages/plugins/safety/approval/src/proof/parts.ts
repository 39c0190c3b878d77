/** Finds readers and checks by name. Each is a file of its own, loaded with the first command that needs it. */
import type { Check, Language } from './language.ts';

const languages = new Map<string, Promise<Language>>();
const checks = new Map<string, Promise<Check>>();

/** The reader in `languages/NAME.ts`. */
export function loadLanguage(name: string): Promise<Language> {
  const known =
    languages.get(name) ?? import(`./languages/${name}.ts`).then((module: { language: Language }) => module.language);
  languages.set(name, known);
  return known;
}

/** The check in `checks/NAME.ts`. */
export function loadCheck(name: string): Promise<Check> {
  const known = checks.get(name) ?? import(`./checks/${name}.ts`).then((module: { check: Check }) => module.check);
  checks.set(name, known);
  return known;
}
