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
  "Audit events",
  "Scaling of workers",
  "Log, probes and dashboard",
  "Sign-in",
  "Understood, and without effect",
] as const;

type FieldGroup = (typeof fieldGroups)[number];

/** What the variables of the product begin with. */
export const variablePrefix = "FLEET_RELOADER_";

/** The variable of a flag, where none has another name. */
export function variableOfFlag(flag: string): string {
  return `${variablePrefix}${flag.toUpperCase().replaceAll("-", "_")}`;
}

/** The description of a config field beside its schema. The flag, the variable, the help and the docs are made from it. */
export interface FieldMeta {
  readonly group?: FieldGroup;
  /** Without the dashes. */
  readonly flag: string;
  /** Other spellings of the flag, without the dashes. */
  readonly aliases?: readonly string[];
  readonly env: string;
  readonly description: string;
  /** How the value is written, as the help shows it: `DURATION`, `FILE`, … */
  readonly placeholder: string;
  /** The flag may be given several times; its schema gets all their texts, or the text of the variable (`csvList`). */
  readonly isList?: boolean;
  /** The flag may not be given twice with different values: of both only one would count. */
  readonly isOnce?: boolean;
  /** A flag without a value. */
  readonly isSwitch?: boolean;
  /** The name of the flag or variable in Stakater Reloader; absent when it has none. */
  readonly peer?: string;
  /**
   * Judges the given text (a list with commas) beside the texts of other fields, which are empty if they are not given; undefined when there is
   * nothing to remark. Logged once, at the start.
   */
  readonly remark?: (text: string, textOf: (field: string) => string) => string | undefined;
  /**
   * The fields that must be true for anything to read the value. While none is, an unusable value counts as none and causes a remark, so
   * the field may have no other default than undefined.
   */
  readonly readWith?: readonly string[];
  /** Its value appears in no message, no log and no published information about the process. */
  readonly isSecret?: boolean;
  /** Default in words, when it is not a constant. */
  readonly defaultText?: string;
}

export type ConfigShape = Readonly<Record<string, { readonly schema: z.ZodType; readonly meta: FieldMeta }>>;

export type ConfigOf<S extends ConfigShape> = { readonly [K in keyof S]: z.output<S[K]["schema"]> };

/** The description of a field of a group. The group is added; so is the variable, unless it has a name of its own. */
export type GroupedMeta = Omit<FieldMeta, "group" | "env"> & { readonly env?: string };

/** The fields of one group, each with its group and its variable. */
export function inGroup<const S extends Readonly<Record<string, z.ZodType>>>(
  group: FieldGroup,
  fields: { readonly [K in keyof S]: { readonly schema: S[K]; readonly meta: GroupedMeta } },
) {
  const described = Object.entries(fields).map(([name, { schema, meta }]) => [
    name,
    { schema, meta: { group, env: variableOfFlag(meta.flag), ...meta } },
  ]);
  // Each field keeps its name and its schema.
  return Object.fromEntries(described) as {
    readonly [K in keyof S]: {
      readonly schema: S[K];
      readonly meta: FieldMeta & { readonly group: FieldGroup };
    };
  };
}
