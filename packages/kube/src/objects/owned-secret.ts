import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { fieldManager } from "@fleet-reloader/domain/field-manager";
import { jsonField } from "@fleet-reloader/domain/json";
import { createObject } from "../http/collection-calls.ts";
import type { Connection } from "../http/connection.ts";
import { text } from "../json.ts";
import { resourcePath } from "../resource.ts";
import { absentOr } from "./object-answer.ts";

const ownedSecrets = { group: "", version: "v1", plural: "secrets" } as const;

/** One key of one Secret. */
export interface SecretKeyRef {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/**
 * Reads a key of a Secret. Creates the Secret with this value when it is absent; the first process creates it for all. An existing
 * Secret is never changed: a Secret without the key is a fault `config.invalid`.
 */
export async function ensureSecret(
  connection: Connection,
  ref: SecretKeyRef,
  make: () => string,
  signal: AbortSignal,
): Promise<string> {
  const found = await readOwnedSecret(connection, ref, signal);
  if (found !== undefined) return found;
  const made = make();
  if (await createSecret(connection, ref, made, signal)) return made;
  const others = await readOwnedSecret(connection, ref, signal);
  if (others === undefined) throw new Fault("kube.conflict", `Secret ${named(ref)} was deleted meanwhile`);
  return others;
}

/** Undefined: there is no such Secret. */
export async function readOwnedSecret(
  connection: Connection,
  ref: SecretKeyRef,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = resourcePath(ownedSecrets, ref.namespace, ref.name);
  const answer = await connection.call({ method: "GET", path }, signal);
  return absentOr(answer, ref, (object) => {
    if (jsonField(object, "data", ref.key) === undefined)
      throw new Fault(
        "config.invalid",
        `Secret ${named(ref)} has no key ${ref.key}; add it, name another key, or delete the Secret: then it is made`,
      );
    return Buffer.from(text(object, "data", ref.key), "base64").toString("utf8");
  });
}

/** False: somebody else has created it meanwhile. */
async function createSecret(
  connection: Connection,
  { namespace, name, key }: SecretKeyRef,
  value: string,
  signal: AbortSignal,
): Promise<boolean> {
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, labels: { "app.kubernetes.io/managed-by": fieldManager } },
    type: "Opaque",
    data: { [key]: Buffer.from(value, "utf8").toString("base64") },
  };
  try {
    await createObject(connection, resourcePath(ownedSecrets, namespace), secret, signal);
    return true;
  } catch (error) {
    if (asFault(error).code === "kube.exists") return false;
    throw error;
  }
}

function named({ namespace, name }: SecretKeyRef): string {
  return `${namespace}/${name}`;
}
