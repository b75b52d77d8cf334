import { type JsonObject, stringAt } from "../objects/json.ts";
import { badRequest } from "../status-errors.ts";
import { decodeMessage, type Message, UnknownField } from "./decode-message.ts";
import { messages } from "./messages.ts";

export const protobufType = "application/vnd.kubernetes.protobuf";

/** What stands before every message of Kubernetes. */
const MAGIC = Buffer.from("k8s\0");

const typeMeta: Message = new Map([
  [1, { name: "apiVersion", type: "string" }],
  [2, { name: "kind", type: "string" }],
]);

const envelope: Message = new Map([
  [1, { name: "typeMeta", type: { type: "message", message: () => typeMeta } }],
  [2, { name: "raw", type: "bytes" }],
  [3, { name: "contentEncoding", type: "string" }],
  [4, { name: "contentType", type: "string" }],
]);

/** An object that came as protobuf. The simulator reads what kubectl sends that way, and says so for the rest. */
export function decodeObject(bytes: Buffer): JsonObject {
  try {
    if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new UnknownField("no prefix k8s");
    const outer = decodeMessage(envelope, bytes.subarray(MAGIC.length));
    const kind = stringAt(outer, "typeMeta", "kind") ?? "";
    const message = messages.get(kind);
    if (message === undefined) throw new UnknownField(`no rules for kind ${kind}`);
    const body = decodeMessage(message, Buffer.from(stringAt(outer, "raw") ?? "", "base64"));
    return { apiVersion: stringAt(outer, "typeMeta", "apiVersion"), kind, ...body };
  } catch (error) {
    if (!(error instanceof UnknownField)) throw error;
    throw badRequest(
      `the simulator cannot read this protobuf (${error.message}); send JSON, as with kubectl apply -f`,
    );
  }
}
