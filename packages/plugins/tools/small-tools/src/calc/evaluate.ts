/**
 * Evaluates arithmetic: `+ -`, then `* / %`, then the sign of a number, then `**`, which binds to the right. Whole numbers
 * stay exact whatever their size; once a fraction comes in, the rest is the arithmetic of JavaScript's numbers.
 */
import { errors } from '../errors.ts';
import { problem, type Token, tokenize, type Value } from './tokens.ts';

const MAX_CHARS = 20_000;
const MAX_DEPTH = 500;
/** About 19,700 digits: more helps nobody and takes ever longer. */
const MAX_BITS = 65_536;

/** The value of an expression; throws an error of the catalogue when there is none. */
export function evaluate(expression: string): Value {
  if (expression.length > MAX_CHARS) throw problem('Expression is too long', expression, MAX_CHARS);
  const parser = new Parser(expression, tokenize(expression));
  const value = parser.whole();
  if (typeof value === 'bigint') return value;
  if (!Number.isFinite(value)) throw errors.create('SMALL_TOOLS_NOT_FINITE', { expression: expression.slice(0, 80) });
  return value === 0 ? 0 : value;
}

class Parser {
  readonly #expression: string;
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(expression: string, tokens: readonly Token[]) {
    this.#expression = expression;
    this.#tokens = tokens;
  }

  whole(): Value {
    if (this.#tokens.length === 0) throw problem('Expression is empty', this.#expression, 0);
    const value = this.#sum();
    if (this.#at < this.#tokens.length) throw this.#unexpected();
    return value;
  }

  #sum(): Value {
    let value = this.#product();
    for (let sign = this.#take('+', '-'); sign; sign = this.#take('+', '-')) {
      value = this.#operate(sign, value, this.#product());
    }
    return value;
  }

  #product(): Value {
    let value = this.#signed();
    for (let sign = this.#take('*', '/', '%'); sign; sign = this.#take('*', '/', '%')) {
      value = this.#operate(sign, value, this.#signed());
    }
    return value;
  }

  #signed(): Value {
    const sign = this.#take('+', '-');
    if (!sign) return this.#power();
    return this.#deeper(() => {
      const value = this.#signed();
      return sign === '-' ? -value : value;
    });
  }

  #power(): Value {
    const base = this.#atom();
    if (!this.#take('**')) return base;
    return this.#deeper(() => this.#operate('**', base, this.#signed()));
  }

  #atom(): Value {
    const token = this.#tokens[this.#at];
    if (token?.kind === 'number') {
      this.#at++;
      return token.value;
    }
    if (!this.#take('(')) throw this.#unexpected();
    const value = this.#deeper(() => this.#sum());
    if (!this.#take(')')) throw problem('Missing closing parenthesis', this.#expression, token?.at ?? 0);
    return value;
  }

  #take<S extends string>(...signs: readonly S[]): S | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'sign' || !signs.includes(token.sign as S)) return undefined;
    this.#at++;
    return token.sign as S;
  }

  #deeper(work: () => Value): Value {
    if (++this.#depth > MAX_DEPTH) throw problem('Expression is nested too deeply', this.#expression, this.#here());
    const value = work();
    this.#depth--;
    return value;
  }

  #here(): number {
    return this.#tokens[this.#at]?.at ?? this.#expression.length;
  }

  #unexpected() {
    const isEnd = this.#at >= this.#tokens.length;
    return problem(
      isEnd ? 'Unexpected end of expression' : 'Unexpected token in expression',
      this.#expression,
      this.#here(),
    );
  }

  #operate(sign: '+' | '-' | '*' | '/' | '%' | '**', left: Value, right: Value): Value {
    if (typeof left === 'bigint' && typeof right === 'bigint') {
      const exact = this.#exact(sign, left, right);
      if (exact !== undefined) return exact;
    }
    const [a, b] = [Number(left), Number(right)];
    switch (sign) {
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return a * b;
      case '/':
        return a / b;
      case '%':
        return a % b;
      case '**':
        return a ** b;
    }
  }

  /** Undefined where the result is no whole number. */
  #exact(sign: '+' | '-' | '*' | '/' | '%' | '**', a: bigint, b: bigint): bigint | undefined {
    switch (sign) {
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return this.#bounded(bitsOf(a) + bitsOf(b)) && a * b;
      case '/':
        return b !== 0n && a % b === 0n ? a / b : undefined;
      case '%':
        return b === 0n ? undefined : a % b;
      case '**':
        if (b < 0n) return undefined;
        return (bitsOf(a) <= 1 || this.#bounded(bitsOf(a) * Number(b))) && a ** b;
    }
  }

  #bounded(bits: number): true {
    if (bits > MAX_BITS) throw errors.create('SMALL_TOOLS_NOT_FINITE', { expression: this.#expression.slice(0, 80) });
    return true;
  }
}

function bitsOf(value: bigint): number {
  return (value < 0n ? -value : value).toString(16).length * 4 - (value === 0n ? 4 : 0) - leadingZeros(value);
}

/** Of the first hexadecimal digit. */
function leadingZeros(value: bigint): number {
  if (value === 0n) return 0;
  const first = Number.parseInt((value < 0n ? -value : value).toString(16)[0] ?? '8', 16);
  return Math.clz32(first) - 28;
}
