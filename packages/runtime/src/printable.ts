const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * The text on one line and without what a terminal obeys: control and format characters, and line separators, are written as
 * `\u{…}`. Tenants choose names, reasons and annotations, and servers their error texts: none may forge a line, steer a terminal
 * or turn the direction of the text.
 */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The same JSON, with such characters escaped as JSON has it: whoever parses it reads what was written. */
export function printableJson(line: string): string {
  return line.replace(unprintable, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
