import type { Log } from "@fleet-reloader/engine/ports/log";

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface LoggedLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: object;
}

/** A log that keeps every line of every level, of its children too. */
export class CollectedLog implements Log {
  readonly #lines: LoggedLine[];
  readonly #fields: object;

  constructor(lines: LoggedLine[] = [], fields: object = {}) {
    this.#lines = lines;
    this.#fields = fields;
  }

  get lines(): readonly LoggedLine[] {
    return this.#lines;
  }

  /** Messages of one level, in order. */
  messages(level: LogLevel): readonly string[] {
    return this.#lines.filter((line) => line.level === level).map((line) => line.message);
  }

  /** All there is to read, for what must not be in it. */
  get text(): string {
    return this.#lines.map((line) => JSON.stringify(line)).join("\n");
  }

  debug(fields: object, message: string): void {
    this.#add("debug", fields, message);
  }

  info(fields: object, message: string): void {
    this.#add("info", fields, message);
  }

  warn(fields: object, message: string): void {
    this.#add("warn", fields, message);
  }

  error(fields: object, message: string): void {
    this.#add("error", fields, message);
  }

  child(fields: object): Log {
    return new CollectedLog(this.#lines, { ...this.#fields, ...fields });
  }

  #add(level: LogLevel, fields: object, message: string): void {
    this.#lines.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}
