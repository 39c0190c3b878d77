/** How a known value looks when a program has encoded it: base64 at any place of a longer text, hex, percent signs, JSON, HTML. Programs differ in which signs they encode. */

/** Shorter pieces of an encoding would fit other texts by chance. */
const MIN_LENGTH = 12;

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Encoded forms of a value, without the value itself. */
export function encodedForms(value: string): string[] {
  const bytes = Buffer.from(value);
  // Half of a character cannot be encoded; as bytes it is the sign for what is none.
  const percent = encodeURIComponent(bytes.toString());
  const json = JSON.stringify(value).slice(1, -1);
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset));
  const forms = [
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    hex,
    hex.toUpperCase(),
    percent,
    percent.replace(/%2F/g, '/'),
    percent.replace(/%../g, (code) => code.toLowerCase()),
    json,
    json.replaceAll('/', '\\/'),
    json.replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
    value.replace(/[&<>"']/g, (sign) => HTML[sign] ?? sign),
    [...value].reverse().join(''),
  ];
  return [...new Set(forms)].filter((form) => form.length >= MIN_LENGTH && form !== value);
}

/** The characters that do not depend on what stands around the value, when `offset` bytes of its first group belong to others. */
function base64At(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const start = [0, 2, 3][offset] ?? 0;
  return text.slice(start, Math.floor(((offset + bytes.length) * 8) / 6));
}
