import { asFault } from "@fleet-reloader/domain/fault";
import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import { mapBounded } from "@fleet-reloader/engine/async/map-bounded";
import type { StreamEvent, StreamHandler } from "@fleet-reloader/engine/ports/source-stream";
import type { Stream } from "@fleet-reloader/engine/watch/cluster-streams";
import { stringMap, text } from "../../json.ts";
import { absentOr } from "../../objects/object-answer.ts";
import { accept, resourcePath } from "../../resource.ts";
import type { Access } from "../registration.ts";
import type { Hub } from "./hub.ts";
import { hubReflector } from "./hub-streams.ts";
import type { Keyed } from "./kept-objects.ts";

/** A Secret without its content. */
export interface SecretMeta extends Keyed {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A Secret with its content by key, in base64 as received, or why it may not be read. */
export interface HubSecret extends SecretMeta {
  readonly content: Readonly<Record<string, string>>;
  readonly unreadable?: string;
}

/** The registration in a Secret. The content of the Secret is not kept. */
export interface RegisteredSecret extends Keyed, Pick<SecretMeta, "namespace" | "labels"> {
  readonly clusterName: string;
  readonly access: Access;
}

export function registeredSecret(secret: HubSecret, clusterName: string, access: Access): RegisteredSecret {
  const { key, namespace, labels } = secret;
  return { key, namespace, labels, clusterName, access };
}

export interface SecretSelection {
  /** Undefined: all. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** Decides by the metadata; the content of other Secrets is never read. */
  readonly isWanted: (secret: SecretMeta) => boolean;
}

/**
 * As many requests as the connections carry at once. Further ones would wait for a connection while their deadline runs. Reads of sources have
 * the same limit.
 */
export const secretReadsAtOnce = 16;
const forbidden = "it may not be read; grant the verb get on secrets in its namespace";
const hubSecretsResource = { group: "", version: "v1", plural: "secrets" } as const;

/** The list + watch of the metadata of Secrets. */
function secretMetaStream(
  hub: Hub,
  { namespace, labelSelector, isWanted }: SecretSelection,
  handler: StreamHandler<SecretMeta>,
): Stream {
  const collection = { ...hubSecretsResource, namespace, labelSelector, metadataOnly: true };
  const parse = (object: unknown): SecretMeta | undefined => {
    const secret = secretMeta(object);
    return secret !== undefined && isWanted(secret) ? secret : undefined;
  };
  return hubReflector(hub, collection, parse, handler);
}

/** The same, but passes on what `translate` makes of each Secret with its content. */
export function secretStream<T extends Keyed>(
  hub: Hub,
  selection: SecretSelection,
  translate: (secret: HubSecret) => T,
  handler: StreamHandler<T>,
): Stream {
  return {
    run(signal, onState) {
      const read = async (secret: SecretMeta): Promise<T | undefined> => {
        const whole = await readSecret(hub.connection, secret, signal);
        return whole === undefined ? undefined : translate(whole);
      };
      return secretMetaStream(hub, selection, translated(read, translate, handler)).run(signal, onState);
    },
  };
}

/** Undefined when there is no such Secret. Faults when the API server does not answer; a missing right is an answer. */
export async function readSecret(
  connection: Hub["connection"],
  secret: SecretMeta,
  signal: AbortSignal,
): Promise<HubSecret | undefined> {
  const path = resourcePath(hubSecretsResource, secret.namespace, secret.name);
  try {
    const answer = await connection.call({ method: "GET", path, accept: accept.json }, signal);
    return absentOr(answer, secret, (object) => {
      const now = secretMeta(object);
      return now && { ...now, content: stringMap(object, "data") };
    });
  } catch (error) {
    const fault = asFault(error);
    if (fault.code !== "kube.forbidden") throw fault;
    return { ...secret, content: {}, unreadable: forbidden };
  }
}

/** A failed read rejects the page or the events, which then come again. */
function translated<T extends Keyed>(
  read: (secret: SecretMeta) => Promise<T | undefined>,
  translate: (secret: HubSecret) => T,
  handler: StreamHandler<T>,
): StreamHandler<SecretMeta> {
  const gone = (secret: SecretMeta): StreamEvent<T> => ({
    type: "delete",
    object: translate({ ...secret, content: {}, unreadable: "it is gone" }),
  });
  return {
    listBegins: () => handler.listBegins(),
    async page(found) {
      const made = await mapBounded(found, secretReadsAtOnce, read);
      await handler.page(made.filter((one) => one !== undefined));
    },
    listed: () => handler.listed(),
    async events(events) {
      const made = await mapBounded(
        events,
        secretReadsAtOnce,
        async ({ type, object }): Promise<StreamEvent<T>> => {
          const now = type === "delete" ? undefined : await read(object);
          return now === undefined ? gone(object) : { type: "upsert", object: now };
        },
      );
      await handler.events(made);
    },
  };
}

function secretMeta(object: unknown): SecretMeta | undefined {
  const namespace = text(object, "metadata", "namespace");
  const name = text(object, "metadata", "name");
  if (namespace === "" || name === "") return undefined;
  return {
    key: `${namespace}/${name}`,
    namespace,
    name,
    labels: stringMap(object, "metadata", "labels"),
    annotations: stringMap(object, "metadata", "annotations"),
  };
}
