import type { JsonDraft, JsonObject, JsonValue } from "../objects/json.ts";

/**
 * How a field is read. `flag0` and `int0` are fields without a pointer in Go: zero stands for absent.
 * Another message is read by its own rules; `inline` puts its fields into the message around it.
 */
export type FieldType =
  | "string"
  | "bytes"
  | "int"
  | "int0"
  | "flag"
  | "flag0"
  | "time"
  | "quantity"
  | "int-or-string"
  | { readonly type: "message" | "inline"; readonly message: () => Message }
  | { readonly type: "list"; readonly of: FieldType }
  | { readonly type: "map"; readonly of: FieldType };

export interface Field {
  readonly name: string;
  readonly type: FieldType;
}

/** The fields of a message by their numbers. */
export type Message = ReadonlyMap<number, Field>;

/** Protobuf as Kubernetes writes it, to the JSON it stands for. Throws for a field without a rule. */
export function decodeMessage(message: Message, bytes: Buffer): JsonObject {
  const draft: JsonDraft = {};
  for (const { number, value } of fieldsIn(bytes)) {
    const field = message.get(number);
    if (field === undefined) throw new UnknownField(`no rule for field ${number} beside ${namesOf(message)}`);
    addField(draft, field, value);
  }
  return draft;
}

export class UnknownField extends Error {}

function addField(draft: JsonDraft, { name, type }: Field, value: Wire): void {
  if (typeof type === "string") {
    const scalar = decodeScalar(type, value);
    if (scalar !== undefined) draft[name] = scalar;
    return;
  }
  switch (type.type) {
    case "message":
      draft[name] = decodeMessage(type.message(), bytesOf(value));
      return;
    case "inline":
      Object.assign(draft, decodeMessage(type.message(), bytesOf(value)));
      return;
    case "list": {
      const list = draft[name];
      const item: JsonDraft = {};
      addField(item, { name: "item", type: type.of }, value);
      draft[name] = [...(Array.isArray(list) ? list : []), item.item ?? ""];
      return;
    }
    case "map": {
      const entry: JsonDraft = {};
      for (const part of fieldsIn(bytesOf(value))) {
        const field: Field =
          part.number === 1 ? { name: "key", type: "string" } : { name: "value", type: type.of };
        addField(entry, field, part.value);
      }
      const map = draft[name];
      const known = typeof map === "object" && map !== null && !Array.isArray(map) ? map : {};
      draft[name] = { ...known, [String(entry.key ?? "")]: entry.value ?? "" };
      return;
    }
  }
}

type Wire = number | Buffer;

function decodeScalar(type: Extract<FieldType, string>, value: Wire): JsonValue | undefined {
  switch (type) {
    case "string":
      return bytesOf(value).toString() || undefined;
    case "bytes":
      return bytesOf(value).toString("base64");
    case "int":
      return Number(value);
    case "int0":
      return Number(value) || undefined;
    case "flag":
      return value !== 0;
    case "flag0":
      return value !== 0 || undefined;
    case "time":
      return decodeTime(bytesOf(value));
    case "quantity":
      return decodeParts(bytesOf(value)).get(1)?.toString();
    case "int-or-string": {
      const parts = decodeParts(bytesOf(value));
      return parts.get(1) === 1 ? parts.get(3)?.toString() : Number(parts.get(2) ?? 0);
    }
  }
}

function decodeTime(bytes: Buffer): string | undefined {
  const seconds = Number(decodeParts(bytes).get(1) ?? 0);
  return seconds > 0 ? `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z` : undefined;
}

function decodeParts(bytes: Buffer): ReadonlyMap<number, Wire> {
  return new Map([...fieldsIn(bytes)].map(({ number, value }) => [number, value]));
}

function bytesOf(value: Wire): Buffer {
  if (typeof value === "number") throw new UnknownField("a number where bytes belong");
  return value;
}

function* fieldsIn(bytes: Buffer): Generator<{ readonly number: number; readonly value: Wire }> {
  let at = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new UnknownField("the message ends in the middle of a number");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = tag >> 3;
    if ((tag & 7) === 0) yield { number, value: varint() };
    else if ((tag & 7) === 2) {
      const length = varint();
      yield { number, value: bytes.subarray(at, at + length) };
      at += length;
    } else throw new UnknownField(`wire type ${tag & 7} of field ${number}`);
  }
}

function namesOf(message: Message): string {
  return [...message.values()].map(({ name }) => name).join(", ");
}
