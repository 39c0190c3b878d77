/** Values of a program as short texts. */
import { type Facts, factsIn, factsOf } from './cdp.ts';

const SHOWN = 300;

/** What a value looks like. */
export function valueText(value: Facts): string {
  const { type, subtype, description, unserializableValue, preview } = value;
  if (type === 'string') return JSON.stringify(value['value'] ?? description ?? '');
  if (type === 'undefined') return 'undefined';
  if (subtype === 'null') return 'null';
  if (unserializableValue !== undefined) return String(unserializableValue);
  if (type === 'object' && preview !== undefined && subtype !== 'error' && subtype !== 'regexp' && subtype !== 'date')
    return previewText(factsOf(preview), String(description ?? 'Object'));
  if (type === 'function')
    return (
      String(description ?? 'function')
        .split('\n')[0]
        ?.slice(0, SHOWN) ?? ''
    );
  return String(description ?? value['value'] ?? '').slice(0, SHOWN * 10);
}

/** The kind of a value: a class, or a type of the language. */
export function kindText({ type, className }: Facts): string {
  return String(className ?? type ?? '');
}

function previewText(preview: Facts, name: string): string {
  const entries = factsIn(preview['entries']).map((entry) => {
    const value = shortText(factsOf(entry['value']));
    return entry['key'] === undefined ? value : `${shortText(factsOf(entry['key']))} => ${value}`;
  });
  const isList = preview['subtype'] === 'array' || preview['subtype'] === 'typedarray';
  const properties = factsIn(preview['properties']).map((property) => {
    const text = shortProperty(property);
    return isList && /^\d+$/.test(String(property['name'])) ? text : `${String(property['name'])}: ${text}`;
  });
  const inner = [...(entries.length > 0 ? entries : properties), ...(preview['overflow'] === true ? ['…'] : [])].join(
    ', ',
  );
  if (isList) return `${name} [${inner}]`;
  return name === 'Object' ? `{${inner}}` : `${name} {${inner}}`;
}

function shortProperty({ type, value, subtype }: Facts): string {
  if (type === 'string') return JSON.stringify(value ?? '');
  if (type === 'accessor') return '(getter)';
  return subtype === 'null' ? 'null' : String(value ?? type ?? '');
}

function shortText(preview: Facts): string {
  const { type, description } = preview;
  return type === 'string' ? JSON.stringify(description ?? '') : String(description ?? type ?? '');
}
