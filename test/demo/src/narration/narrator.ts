import type { ClusterWrite } from "../fleet.ts";
import { rollsText } from "../judge.ts";
import type { Outcome } from "../play.ts";
import type { Act, Proof, Step } from "../story/step.ts";
import { milliseconds, type Paint, type Style } from "./paint.ts";

export type WriteLine = (line: string) => void;

/** Scenario or time on the left, then who, then what. */
const widths = { time: 8, who: 22, after: 13 } as const;

/** Tells the story as it happens: one line for each thing that somebody does. */
export class Narrator {
  readonly #write: WriteLine;
  readonly #paint: Paint;
  readonly #startedAt = performance.now();

  constructor(write: WriteLine, paint: Paint) {
    this.#write = write;
    this.#paint = paint;
  }

  title({ scenario, title, story }: Step): void {
    this.#write("");
    this.#write(`${this.#paint("name", scenario.padEnd(widths.time + 2))}${this.#paint("title", title)}`);
    for (const line of story) this.#write(`${" ".repeat(widths.time + 2)}${this.#paint("quiet", line)}`);
  }

  act({ who, does, on }: Act): void {
    this.event(who, `${does} on ${on.join(" and ")}`);
  }

  expects({ expects }: Step): void {
    this.#line("", "expected", expects, "quiet");
  }

  roll({ cluster, kind, namespace, name }: ClusterWrite, afterMs: number): void {
    this.event(cluster, `${after(afterMs)}${kind} ${namespace}/${name} rolls`);
  }

  proof({ what }: Proof, lines: readonly string[], afterMs: number): void {
    this.event("seen", `${after(afterMs)}${what}`);
    for (const line of lines) this.#line("", "", " ".repeat(widths.after) + line, "quiet");
  }

  verdict({ problems, rolls }: Outcome): void {
    if (problems.length === 0) this.#mark("good", `✓ ${rollsText(rolls.length)}, as expected`);
    for (const problem of problems) this.#mark("bad", `✗ ${problem}`);
  }

  /** Anything else that somebody does. */
  event(who: string, what: string): void {
    this.#line(this.#now(), who, what, "plain");
  }

  #mark(style: Style, what: string): void {
    this.#write(`${this.#paint("quiet", this.#now().padStart(widths.time))}  ${this.#paint(style, what)}`);
  }

  #line(time: string, who: string, what: string, style: Style): void {
    const left = `${time.padStart(widths.time)}  ${who.padEnd(widths.who)}`;
    this.#write(style === "quiet" ? this.#paint("quiet", left + what) : `${left}${this.#paint(style, what)}`);
  }

  #now(): string {
    return `${((performance.now() - this.#startedAt) / 1000).toFixed(1)} s`;
  }
}

/** Since the last change. */
function after(ms: number): string {
  return `+ ${milliseconds(ms)}`.padEnd(widths.after);
}
