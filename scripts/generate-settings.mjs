/** The types of the plugins' settings, from the schemas in their manifests: a new setting is written down once. */
import { pluginPackages } from './workspace.mjs';

/** One generated file for every plugin with settings. @param {string} root */
export function settingsFiles(root) {
  return pluginPackages(root)
    .filter(({ json }) => json.tenon.settings)
    .map(({ folder, json: { tenon } }) => {
      const name = tenon.id.replaceAll(/(?:^|-)(\w)/g, (_, letter) => letter.toUpperCase());
      const text = `// Made by \`npm run generate\` from \`tenon.settings\` in package.json. Do not edit.

/** The settings of this plugin, with their defaults filled in. */
export interface ${name}Settings ${objectType(tenon.settings, '', true)}
`;
      return { path: `${folder}/src/generated/settings.ts`, text };
    });
}

/** The type of a schema. `isStatic`: the path to it is fixed, so that objects on it are always there. */
function typeOf(schema, indent, isStatic) {
  if (schema.enum) return schema.enum.map((value) => `'${value}'`).join(' | ');
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return variants.map((variant) => typeOf(variant, indent, false)).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ type }, indent, false)).join(' | ');
  if (schema.type === 'array') return arrayType(typeOf(schema.items ?? {}, indent, false));
  if (schema.properties) return objectType(schema, indent, isStatic);
  if (schema.type === 'object') {
    return `Readonly<Record<string, ${typeOf(Object(schema.additionalProperties), indent, false)}>>`;
  }
  return { string: 'string', boolean: 'boolean', number: 'number', integer: 'number' }[schema.type] ?? 'unknown';
}

function arrayType(items) {
  return `readonly ${/[ {]/.test(items) ? `(${items})` : items}[]`;
}

function objectType({ properties = {}, required = [] }, indent, isStatic) {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([key, schema]) => {
    const isThere = required.includes(key) || schema.default !== undefined || (isStatic && schema.properties);
    return `${inner}readonly ${key}${isThere ? '' : '?'}: ${typeOf(schema, inner, isStatic)};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}
