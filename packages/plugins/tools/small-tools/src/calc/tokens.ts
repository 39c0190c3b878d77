/** Takes an expression apart. */
import { errors } from '../errors.ts';

/** An integer that is exact whatever its size, or a number with a fraction. */
export type Value = bigint | number;

/** One piece of an expression. */
export type Token =
  | { readonly kind: 'number'; readonly value: Value; readonly at: number }
  | { readonly kind: 'sign'; readonly sign: '+' | '-' | '*' | '/' | '%' | '**' | '(' | ')'; readonly at: number };

const SIGN = /\*\*|[+\-*/%()]/y;
const PREFIXED = /0[xXbBoO]\w*/y;
const DECIMAL = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d*)?[\w.]*/y;

/** The pieces of an expression; throws what is wrong and where. */
export function tokenize(expression: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(expression)?.[0];
  };
  while (at < expression.length) {
    const char = expression[at] ?? '';
    if (/\s/.test(char)) {
      at++;
      continue;
    }
    const sign = match(SIGN);
    const literal = sign === undefined ? (match(PREFIXED) ?? match(DECIMAL)) : undefined;
    if (sign !== undefined) tokens.push({ kind: 'sign', sign: sign as '+', at });
    else if (literal !== undefined) tokens.push({ kind: 'number', value: numberOf(literal, expression, at), at });
    else
      throw problem(
        `Invalid character "${String.fromCodePoint(expression.codePointAt(at) ?? 0)}" in expression`,
        expression,
        at,
      );
    at += (sign ?? literal ?? ' ').length;
  }
  return tokens;
}

function numberOf(literal: string, expression: string, at: number): Value {
  if (/^0[xX][0-9a-fA-F]+$|^0[bB][01]+$|^0[oO][0-7]+$/.test(literal)) return BigInt(literal);
  if (/^0[xXbBoO]/.test(literal)) throw problem(`Invalid number "${literal}"`, expression, at);
  if (/^\d+$/.test(literal)) return BigInt(literal);
  if (/[eE][+-]?$/.test(literal)) throw problem(`Invalid exponent in "${literal}"`, expression, at);
  if (!/^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(literal))
    throw problem(`Invalid number "${literal}"`, expression, at);
  return Number(literal);
}

/** What is wrong with an expression, and where: characters count from 1. */
export function problem(reason: string, expression: string, at: number) {
  return errors.create('SMALL_TOOLS_EXPRESSION', { reason, expression: expression.slice(0, 80), at: at + 1 });
}
