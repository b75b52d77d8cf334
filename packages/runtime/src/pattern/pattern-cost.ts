/**
 * The maximum cost to compile an RE2 pattern and to match it against a name, in units of about a microsecond.
 *
 * RE2 is linear in the text, but also in the size of its program, and `((a?){9}){9}` writes a large program in few letters. So the size is
 * estimated before anything is compiled, by a scan that knows just enough of the syntax. An invalid pattern gets some number, and the compiler
 * refuses it. The weights are measured (re2js, a name of 253 characters).
 */
export function patternCost(source: string): number {
  const scan = new Scan(source);
  let cost = nothing;
  // A surplus closing parenthesis ends the expression early; the compiler refuses it.
  while (!scan.isAtEnd) {
    cost = sumOfCosts(cost, alternatives(scan));
    scan.take(")");
  }
  return Math.max(cost.toCompile, cost.toMatch) * (/\(\?[a-zA-Z]*i/.test(source) ? foldingFactor : 1);
}

interface Cost {
  readonly toCompile: number;
  readonly toMatch: number;
}

const nothing: Cost = { toCompile: 0, toMatch: 0 };
const literal: Cost = { toCompile: 1, toMatch: 1 };
const characterClass: Cost = { toCompile: 2, toMatch: 2 };
/** Hundreds of ranges have to be read, sorted and merged. */
const unicodeClass: Cost = { toCompile: 128, toMatch: 2 };
const groupCost: Cost = { toCompile: 6, toMatch: 1 };
/** `?`, `*`, `+`, `{1,9}`: a choice at every character. */
const repetitionFactor = 8;
/** `{9}` of one character leaves no choice: at most, where no anchor says where it begins, each copy is at work at every character. */
const fixedFactor = 2;
/** `(?i)`: every letter becomes a class. */
const foldingFactor = 8;

class Scan {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  sees(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  take(text: string): boolean {
    if (!this.sees(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** Consumes what the sticky expression matches here. */
  match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }

  skip(): void {
    this.#at += 1;
  }
}

function sumOfCosts(a: Cost, b: Cost): Cost {
  return { toCompile: a.toCompile + b.toCompile, toMatch: a.toMatch + b.toMatch };
}

function times(cost: Cost, copies: number, choices: number): Cost {
  return { toCompile: cost.toCompile * copies, toMatch: cost.toMatch * copies * choices };
}

function alternatives(scan: Scan): Cost {
  let cost = nothing;
  while (!scan.isAtEnd && !scan.sees(")")) cost = sumOfCosts(cost, scan.take("|") ? literal : repeated(scan));
  return cost;
}

function atom(scan: Scan): Cost {
  if (scan.match(/\((\?(P?<\w*>|[a-zA-Z-]*:?))?/y)) {
    const inside = alternatives(scan);
    scan.take(")");
    return sumOfCosts(groupCost, inside);
  }
  const quoted = scan.match(/\\Q(.*?)(\\E|$)/sy);
  if (quoted) return times(literal, quoted[0].length, 1);
  const unicode = scan.match(/\\[pP](\{[^}]*\}|.)/sy);
  if (unicode) return unicodeClass;
  const set = scan.match(/\[\^?\]?(\[:\w*:\]|\\[pP](\{[^}]*\}|.)|\\.|[^\]\\])*\]?/sy);
  if (set) return sumOfCosts(characterClass, times(unicodeClass, set[0].split(/\\[pP]/).length - 1, 1));
  if (scan.match(/\\./sy) || scan.take(".")) return characterClass;
  scan.skip();
  return literal;
}

function repeated(scan: Scan): Cost {
  const isOneCharacter = !scan.sees("(") && !scan.sees("\\Q");
  let total = atom(scan);
  if (isOneCharacter) {
    const fixed = scan.match(/\{(\d+)\}\??/y);
    if (fixed) total = times(total, Math.max(1, Number(fixed[1])), fixedFactor);
  }
  for (;;) {
    const counted = scan.match(/\{(\d+)(,(\d*))?\}\??/y);
    if (counted) {
      const copies = Math.max(1, Number(counted[1]), Number(counted[3] ?? 0));
      total = times(total, copies, repetitionFactor);
    } else if (scan.match(/[?*+]\??/y)) total = times(total, 1, repetitionFactor);
    else return total;
  }
}
