import type * as z from "zod";

/** The headings of the help and of the reference page, in their order. */
export const fieldGroups = [
  "Clusters and Redis",
  "What is served",
  "When and how a workload rolls",
  "Brakes",
  "Names of annotations",
  "Alerts and notices",
  "Worker",
  "History",
  "Scaling of workers",
  "Log, probes and dashboard",
  "Understood, and without effect",
] as const;

/** What a person should know who gives a value that is accepted and does not do what it may be expected to do. */
export interface Remark {
  readonly level: "info" | "warn";
  readonly says: string;
}

/** What a config field's schema carries besides its type: from it come the flag, the variable, the help and the docs. */
export interface FieldMeta {
  readonly group?: (typeof fieldGroups)[number];
  /** Without the dashes. */
  readonly flag: string;
  /** Other spellings of the flag, without the dashes. */
  readonly aliases?: readonly string[];
  readonly env: string;
  readonly description: string;
  /** How the value is written, as the help shows it: `DURATION`, `FILE`, … */
  readonly placeholder: string;
  /** The flag may be given several times; its schema gets the texts of all of them, or that of the variable (`csvList`). */
  readonly isList?: boolean;
  /** A flag without a value. */
  readonly isSwitch?: boolean;
  /** How Stakater Reloader spells it, as a flag or a variable; absent when it has none of the kind. */
  readonly peer?: string;
  /** Looks at the text as it was given; undefined when there is nothing to say. Logged once, at the start. */
  readonly remark?: (text: string) => Remark | undefined;
  /** Its value is shown nowhere: neither in messages and logs, nor in what we publish about ourselves. */
  readonly isSecret?: boolean;
  /** Default in words, when it is not a constant. */
  readonly defaultText?: string;
}

export type ConfigShape = Readonly<Record<string, { readonly schema: z.ZodType; readonly meta: FieldMeta }>>;

export type ConfigOf<S extends ConfigShape> = { readonly [K in keyof S]: z.output<S[K]["schema"]> };
