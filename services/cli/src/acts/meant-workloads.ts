import { Fault } from "@fleet-reloader/domain/fault";
import {
  sourceKindOf,
  sourceSpellings,
  workloadKindOf,
  workloadSpellings,
} from "@fleet-reloader/domain/hold/kind-spelling";
import { nearestName } from "@fleet-reloader/domain/nearest-name";
import type { SourceKind } from "@fleet-reloader/domain/source/source";
import type { ManagedWorkload } from "@fleet-reloader/engine/overview/fleet-overview";
import { chosenClusters } from "@fleet-reloader/engine/overview/registered-clusters";
import type { ClusterId, Request } from "@fleet-reloader/engine/ports/request";
import { reloaded } from "../freeze/coverage.ts";
import type { FleetRedis } from "../redis/fleet-redis.ts";

/** An object of the command line. */
export type NamedObject =
  | { readonly type: "workload"; readonly kind: string; readonly name: string }
  | { readonly type: "source"; readonly kind: SourceKind; readonly name: string };

/** Reads `KIND/NAME` with any spelling of the kind that kubectl knows. Faults with the likely kind. */
export function namedObject(text: string, wanted: readonly NamedObject["type"][]): NamedObject {
  const [, given = "", name = ""] =
    /^([^/]{1,253})\/([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)$/.exec(text) ?? [];
  const workload = wanted.includes("workload") ? workloadKindOf(given) : undefined;
  if (workload !== undefined) return { type: "workload", kind: workload, name };
  const source = wanted.includes("source") ? sourceKindOf(given) : undefined;
  if (source !== undefined) return { type: "source", kind: source, name };
  const example = wanted.includes("workload") ? "Deployment/api" : "Secret/db";
  const known = [
    ...(wanted.includes("workload") ? workloadSpellings : []),
    ...(wanted.includes("source") ? sourceSpellings : []),
  ];
  const near = nearestName(given, known);
  const mend =
    name !== "" && near !== undefined ? `write ${near}/${name}` : `write KIND/NAME, for example ${example}`;
  throw new Fault("config.invalid", `${text.slice(0, 300)}: names no ${wanted.join(" or ")}; ${mend}`);
}

/** Where to look for an object. */
export interface ObjectPlace {
  readonly cluster: string;
  readonly namespace: string;
}

/** The opted-in workloads that are the object, or that use it. */
export async function meantWorkloads(
  object: NamedObject,
  { cluster, namespace }: ObjectPlace,
  { overview }: FleetRedis,
): Promise<readonly Request[]> {
  const isMeant = ({ ref, sources, patterns }: ManagedWorkload): boolean => {
    if (namespace !== "" && ref.namespace !== namespace) return false;
    if (object.type === "workload") return ref.kind === object.kind && ref.name === object.name;
    return reloaded({ ref, sources, patterns }).uses({ kind: object.kind, name: object.name });
  };
  const clusters = await chosenClusters(overview, cluster);
  const found = await Promise.all(
    clusters.map(async ({ id }) =>
      id === undefined ? [] : (await overview.managed(id)).filter(isMeant).map(requestIn(id)),
    ),
  );
  return found.flat();
}

function requestIn(cluster: ClusterId): (workload: ManagedWorkload) => Request {
  return ({ ref }) => ({ cluster, workload: ref });
}
