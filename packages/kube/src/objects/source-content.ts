import type { SourceContent, SourceKind } from "@fleet-reloader/domain/source/source";
import { stringMap } from "../json.ts";

/** The bytes of a ConfigMap or Secret, decoded as a pod would see them. */
export function sourceContent(kind: SourceKind, object: unknown): SourceContent {
  if (kind === "Secret") return { data: decode(stringMap(object, "data"), "base64"), binaryData: new Map() };
  return {
    data: decode(stringMap(object, "data"), "utf8"),
    binaryData: decode(stringMap(object, "binaryData"), "base64"),
  };
}

function decode(
  values: Readonly<Record<string, string>>,
  encoding: "utf8" | "base64",
): Map<string, Uint8Array> {
  return new Map(Object.entries(values).map(([key, value]) => [key, Buffer.from(value, encoding)]));
}
