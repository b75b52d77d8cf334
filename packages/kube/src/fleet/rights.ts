import { placeOfRight } from "@fleet-reloader/domain/cluster/told-namespace";
import { jsonField } from "@fleet-reloader/domain/json";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import { mapBounded } from "@fleet-reloader/engine/async/map-bounded";
import { scopeIn, selectorOf } from "@fleet-reloader/engine/observe/served";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import { jsonCall } from "../http/call.ts";
import type { Connection } from "../http/connection.ts";
import { sourceResource } from "../objects/kube-cluster-api.ts";

/** An action that we have to be allowed to do. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Undefined: in all of them. */
  readonly namespace: string | undefined;
}

/**
 * A watcher lists and watches. A lister only lists, since audit events announce the changes. A worker reads and patches. A teller reads what a
 * webhook is called for.
 */
export type Part = "watcher" | "lister" | "worker" | "teller";

/**
 * The rights that the settings need in a cluster that shows us these namespaces, or all. Rights on optional kinds, and those that only one kind
 * needs, are left out: their refusal is reported when it happens.
 */
export function rightsFor(
  parts: readonly Part[],
  { workloadKinds, sourceKinds, ...settings }: Settings,
  shown: readonly string[] | undefined,
): readonly Right[] {
  const scope = scopeIn(settings.scope, shown);
  const read = readVerbs(parts);
  // What a webhook is called for are sources: a teller looks at no namespace.
  const follow = readVerbs(parts.filter((part) => part !== "teller"));
  const write = parts.includes("worker") ? ["patch"] : [];
  const namespaces = scope.namespaces ?? [undefined];
  const workloads = workloadKinds.filter(isThere);
  const sources = sourceKinds.filter((kind) => kind !== "SecretProviderClass").map(sourceResource);
  const on = (resource: { readonly group: string; readonly plural: string }, verbs: readonly string[]) =>
    namespaces.flatMap((namespace) => verbs.map((verb) => rightOf(verb, resource, namespace)));
  const selected = { group: "", plural: "namespaces" };
  return [
    ...sources.flatMap((resource) => on(resource, read)),
    ...workloads.flatMap((kind) => on(kind, [...read, ...write])),
    ...(selectorOf(scope) === undefined ? [] : follow.map((verb) => rightOf(verb, selected, undefined))),
  ];
}

type ServedKinds = WorkloadKind & { readonly plural: string };

function isThere(kind: WorkloadKind): kind is ServedKinds {
  return !kind.isOptional && kind.plural !== undefined;
}

function rightOf(
  verb: string,
  { group, plural }: { readonly group: string; readonly plural: string },
  namespace: string | undefined,
): Right {
  return { verb, group, resource: plural, namespace };
}

function readVerbs(parts: readonly Part[]): readonly string[] {
  const has = (part: Part): boolean => parts.includes(part);
  return [
    ...(has("worker") || has("teller") ? ["get"] : []),
    ...(has("watcher") || has("lister") ? ["list"] : []),
    ...(has("watcher") ? ["watch"] : []),
  ];
}

/** 26 rights in each of a hundred namespaces take minutes one after the other. All at once would delay calls that people wait for. */
const askedAtOnce = 4;

/** The rights that the API server does not grant, as sentences, in their order. */
export async function missingRights(
  connection: Pick<Connection, "call">,
  rights: readonly Right[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const granted = await mapBounded(rights, askedAtOnce, (right) => isGranted(connection, right, signal));
  return rights.filter((_, at) => granted[at] === false).map(rightSentence);
}

function rightSentence({ verb, group, resource, namespace }: Right): string {
  const named = group === "" ? resource : `${resource}.${group}`;
  return `no right to ${verb} ${named} ${placeOfRight(namespace)}; grant it, see infra/manifests`;
}

async function isGranted(
  connection: Pick<Connection, "call">,
  right: Right,
  signal: AbortSignal,
): Promise<boolean> {
  const { verb, group, resource, namespace } = right;
  const resourceAttributes = { verb, group, resource, ...(namespace === undefined ? {} : { namespace }) };
  const apiVersion = "authorization.k8s.io/v1";
  const review = { kind: "SelfSubjectAccessReview", apiVersion, spec: { resourceAttributes } };
  const answer = await connection.call(
    jsonCall("POST", `/apis/${apiVersion}/selfsubjectaccessreviews`, review),
    signal,
  );
  // Only a clear "no" is a refusal.
  return jsonField(answer.body, "status", "allowed") !== false;
}
