import type { Field, FieldType, Message } from "./decode-message.ts";

type Rules = Readonly<Record<number, readonly [name: string, type: FieldType]>>;

export function message(rules: Rules): Message {
  return new Map(
    Object.entries(rules).map(([number, [name, type]]): [number, Field] => [Number(number), { name, type }]),
  );
}

export function nested(of: () => Message): FieldType {
  return { type: "message", message: of };
}

export function inline(of: () => Message): FieldType {
  return { type: "inline", message: of };
}

export function list(of: FieldType): FieldType {
  return { type: "list", of };
}

export function map(of: FieldType): FieldType {
  return { type: "map", of };
}
