/** Small pieces of Markdown that the generated pages share. */

/** The head of every generated page. @param {string} title @param {string} text */
export function pageHead(title, text) {
  return `<!-- Made by \`node scripts/generate-docs.mjs\`. Do not edit. -->\n# ${title}\n\n${text}\n`;
}

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map((row) => line(row.map(cell)))].join('\n');
}

/** Text that may stand in a table. @param {string} text */
function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** @param {unknown} value */
export function code(value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** A JSON Schema's type in words. @param {Record<string, any>} schema @returns {string} */
export function typeText(schema) {
  if (schema.const !== undefined) return code(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(code).join(', ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return choices.map(typeText).join(' or ');
  if (schema.type === 'array') return `list of ${schema.items ? typeText(schema.items) : 'anything'}`;
  if (schema.type === 'object' && schema.patternProperties) {
    return `object of ${typeText(Object.values(schema.patternProperties)[0])}`;
  }
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  return schema.type ?? 'anything';
}
