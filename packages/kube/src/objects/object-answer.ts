import { Fault } from "@fleet-reloader/domain/fault";
import { jsonList } from "@fleet-reloader/domain/json";
import type { Answer } from "../http/call.ts";
import { text } from "../json.ts";

/**
 * Reads one object from an answer. JSON that is not the API server's, for example a proxy's, is neither an absence nor an empty object:
 * as a source without keys it would roll everything that uses the source.
 */
export function absentOr<T>(
  { status, body }: Answer,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  parse: (object: unknown) => T | undefined,
): T | undefined {
  if (status === 404 && text(body, "kind") === "Status") return undefined;
  const isIt = text(body, "metadata", "name") === name && text(body, "metadata", "namespace") === namespace;
  const parsed = isIt ? parse(body) : undefined;
  if (parsed === undefined)
    throw new Fault(
      "kube.malformed",
      `what was answered with ${status} is not the object ${namespace}/${name}`,
    );
  return parsed;
}

/** The objects of one page of a list. */
export function itemsOf({ status, body }: Answer, kind: string): readonly unknown[] {
  if (text(body, "metadata", "resourceVersion") === "")
    throw new Fault("kube.malformed", `what was answered with ${status} is no list of ${kind}s`);
  return jsonList(body, "items");
}
