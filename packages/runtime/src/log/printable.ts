/**
 * Cc, Cf, Zl and Zp of Unicode 17, written out: `\p{Cf}` makes V8 load ICU's tables, 4 MiB that a process keeps for one regular expression. A
 * test compares the two.
 */
const ranges = [
  "\\u{0}-\\u{9}\\u{b}-\\u{1f}\\u{7f}-\\u{9f}\\u{ad}\\u{600}-\\u{605}\\u{61c}\\u{6dd}\\u{70f}\\u{890}-\\u{891}",
  "\\u{8e2}\\u{180e}\\u{200b}-\\u{200f}\\u{2028}-\\u{202e}\\u{2060}-\\u{2064}\\u{2066}-\\u{206f}",
  "\\u{feff}\\u{fff9}-\\u{fffb}\\u{110bd}\\u{110cd}\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}",
  "\\u{1d173}-\\u{1d17a}\\u{e0001}\\u{e0020}-\\u{e007f}",
];
const unprintableInLines = new RegExp(`[${ranges.join("")}]`, "gu");
const unprintable = new RegExp(`[\\u{a}${ranges.join("")}]`, "gu");

/**
 * The text on one line and without characters that a terminal obeys: control and format characters and line separators become `\u{…}`. Tenants
 * choose names, reasons and annotations, and servers choose error texts: none of them may forge a line, control a terminal or change the
 * direction of the text.
 */
export function printable(text: string): string {
  return text.replace(unprintable, shownEscaped);
}

/** The same for a text with several lines: line feeds stay. */
export function printableLines(text: string): string {
  return text.replace(unprintableInLines, shownEscaped);
}

/** The same for a line of JSON, escaped as in JSON, so that a parser returns the original text. */
export function printableJson(line: string): string {
  return line.replace(unprintable, jsonEscaped);
}

/** The same for JSON on many lines. */
export function printableJsonLines(json: string): string {
  return json.replace(unprintableInLines, jsonEscaped);
}

function shownEscaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

function jsonEscaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
