/** How many tokens a text costs a model, without a tokenizer; the reasons are in `crates/text/src/tokens.rs`. */

/** Prices in 256ths of a token, fitted to o200k_base. */
const PRICE = {
  wordTo4: 261,
  wordTo8: 272,
  wordTo12: 398,
  wordLonger: 223,
  letterBeyond12: 206,
  digitGroup: 331,
  lineBreak: 98,
  spaceRun: 258,
  punctuationRun: 201,
  punctuationMark: 3,
  latinOrGreekOrCyrillic: 132,
  eastAsian: 249,
  otherScript: 122,
  beyondBmp: 640,
} as const;

const OTHER = 0;
const UPPER = 1;
const LOWER = 2;
const DIGIT = 3;
const BLANK = 4;
const BREAK = 5;
const MARK = 6;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The kind of each ASCII character. */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[A-Z]/.test(char)) return UPPER;
  if (/[a-z]/.test(char)) return LOWER;
  if (/[0-9]/.test(char)) return DIGIT;
  if (/[ \t]/.test(char)) return BLANK;
  if (/[\n\r]/.test(char)) return BREAK;
  return code > 32 && code < 127 ? MARK : OTHER;
});

/** An estimate of the number of tokens; 0 only for empty text. */
export function estimateTokens(content: Uint8Array | string): number {
  const text = typeof content === 'string' ? content : decoder.decode(content);
  const kindAt = (at: number): number => KINDS[text.charCodeAt(at)] ?? OTHER;
  const { length } = text;
  let price = 0;
  for (let at = 0; at < length;) {
    const start = at;
    const code = text.charCodeAt(at);
    const kind = code < 128 ? KINDS[code]! : -1;
    if (kind === UPPER || kind === LOWER) {
      while (kindAt(at) === UPPER) at++;
      while (kindAt(at) === LOWER) at++;
      price += wordPrice(at - start);
    } else if (kind === DIGIT) {
      while (kindAt(at) === DIGIT) at++;
      price += PRICE.digitGroup * Math.ceil((at - start) / 3);
    } else if (kind === BLANK || kind === BREAK) {
      let indent = start;
      for (let next = kind; next === BLANK || next === BREAK; next = kindAt(at)) {
        at++;
        if (next === BREAK) indent = at;
      }
      const broken = indent > start;
      price += (broken ? PRICE.lineBreak : 0) + (at - indent > 1 ? PRICE.spaceRun : 0);
    } else if (kind >= 0) {
      while (kindAt(at) === MARK) at++;
      if (at === start) at++;
      price += PRICE.punctuationRun + PRICE.punctuationMark * (at - start);
    } else {
      const character = text.codePointAt(at)!;
      price += characterPrice(character);
      at += character > 0xffff ? 2 : 1;
    }
  }
  return Math.max(Math.ceil(price / 256), length > 0 ? 1 : 0);
}

function wordPrice(length: number): number {
  if (length <= 4) return PRICE.wordTo4;
  if (length <= 8) return PRICE.wordTo8;
  if (length <= 12) return PRICE.wordTo12;
  return PRICE.wordLonger + PRICE.letterBeyond12 * (length - 12);
}

function characterPrice(code: number): number {
  if (code >= 0x10000) return PRICE.beyondBmp;
  if (code < 0x600) return PRICE.latinOrGreekOrCyrillic;
  const eastAsian =
    (code >= 0x3040 && code < 0xa000) ||
    (code >= 0xac00 && code < 0xd7b0) ||
    (code >= 0xf900 && code < 0xfb00) ||
    (code >= 0xff00 && code < 0xfff0);
  return eastAsian ? PRICE.eastAsian : PRICE.otherScript;
}
