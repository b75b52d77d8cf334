import type { z } from "zod";

/** What a config field's schema carries besides its type: from it come the flag, the variable, the help and the docs. */
export interface FieldMeta {
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
  /** Default in words, when it is not a constant. */
  readonly defaultText?: string;
}

export type ConfigShape = Readonly<Record<string, { readonly schema: z.ZodType; readonly meta: FieldMeta }>>;

export type ConfigOf<S extends ConfigShape> = { readonly [K in keyof S]: z.output<S[K]["schema"]> };
