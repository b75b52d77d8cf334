import { styleText } from "node:util";

export type Style = "title" | "name" | "quiet" | "good" | "bad" | "plain";
export type Paint = (style: Style, text: string) => string;

const formats = {
  title: "bold",
  name: "cyan",
  quiet: "dim",
  good: "green",
  bad: "red",
} as const;

/** Colour where a person looks: on a terminal, unless NO_COLOR says otherwise; Node itself knows these rules. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) =>
    style === "plain" || text === "" ? text : styleText(formats[style], text, { stream });
}

const thousands = new Intl.NumberFormat("en-US");

/** `2,041 ms` */
export function milliseconds(ms: number): string {
  return `${thousands.format(Math.round(ms))} ms`;
}
