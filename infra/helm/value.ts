/** One value of the chart: what it means, what it is when nobody says anything, and what it may be. */
export interface Leaf {
  readonly type: "leaf";
  readonly doc: string;
  readonly value: unknown;
  readonly schema: object;
  /** Of a map: the keys that mean something. Absent where all do. */
  readonly keys?: readonly string[];
}

/** Values that belong together. A closed one refuses keys it does not know: a typo there would go unnoticed otherwise. */
export interface Section {
  readonly type: "section";
  readonly doc: string;
  readonly isClosed: boolean;
  readonly fields: Readonly<Record<string, Leaf | Section>>;
}

export type Fields = Section["fields"];

/** The values of people who come from the peer: keys unknown to us may be there and do nothing. */
export function open(doc: string, fields: Fields): Section {
  return { type: "section", doc, isClosed: false, fields };
}

export function closed(doc: string, fields: Fields): Section {
  return { type: "section", doc, isClosed: true, fields };
}

/** Any value; null is what Helm users write to take a default back. */
export function leaf(
  value: unknown,
  types: string | readonly string[],
  doc: string,
  more: object = {},
): Leaf {
  return { type: "leaf", doc, value, schema: { type: [types, "null"].flat(), ...more } };
}

/** Of an image: what its content hashes to. */
export const digestPattern = "^(sha256:[0-9a-f]{64})?$";

export const toggle = (value: boolean, doc: string): Leaf => leaf(value, "boolean", doc);
export const text = (value: string, doc: string, more: object = {}): Leaf => leaf(value, "string", doc, more);
export const count = (value: number, doc: string): Leaf => leaf(value, "integer", doc, { minimum: 0 });
export const list = (doc: string): Leaf => leaf([], "array", doc);
export const map = (doc: string, value: object = {}): Leaf => leaf(value, "object", doc);
/** A map in which a typo would do nothing and go unnoticed. */
export const mapOf = (keys: readonly string[], doc: string): Leaf => ({ ...map(doc), keys });
/** Absent unless somebody sets it. */
export const unset = (types: string | readonly string[], doc: string, more: object = {}): Leaf =>
  leaf(null, types, doc, more);
