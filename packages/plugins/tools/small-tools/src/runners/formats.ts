/** In a module of its own, so that the parsers are loaded when a project needs them. */
import { parse as parseTomlText } from 'smol-toml';
import { parse as parseYamlText } from 'yaml';

/** The value of a YAML document. */
export function parseYaml(text: string): unknown {
  return parseYamlText(text) as unknown;
}

/** The value of a TOML document. */
export function parseToml(text: string): unknown {
  return parseTomlText(text);
}
