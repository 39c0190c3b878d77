/** The libraries that understand other tools' files. Imported when the first such file is read. */
import { messageOf } from '@tenon/kernel';
import { parseJsonc } from '@tenon/state-files';
import { parse as parseToml } from 'smol-toml';
import { parseDocument } from 'yaml';

/** How a file of data is written. `json` may have comments and trailing commas, as most tools allow. */
export type DataFormat = 'json' | 'toml' | 'yaml';

/** What a text says, or why it says nothing. */
export type ParsedText = { readonly value: unknown } | { readonly problem: string };

/** Reads a text of data. Never throws and never runs anything. */
export function parseText(text: string, format: DataFormat): ParsedText {
  try {
    return PARSERS[format](text);
  } catch (fault) {
    return { problem: messageOf(fault).split('\n')[0] ?? 'it is damaged' };
  }
}

const PARSERS: Readonly<Record<DataFormat, (text: string) => ParsedText>> = {
  json: (text) => ({ value: parseJsonc(text) }),
  toml: (text) => ({ value: parseToml(text) }),
  yaml(text) {
    const document = parseDocument(text, { logLevel: 'silent' });
    const [fault] = [...document.errors, ...document.warnings];
    if (fault) return { problem: fault.message.split('\n')[0] ?? 'it is damaged' };
    return { value: document.toJS({ maxAliasCount: 50 }) as unknown };
  },
};
