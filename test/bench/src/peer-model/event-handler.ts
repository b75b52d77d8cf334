import { setTimeout as wait } from "node:timers/promises";
import { ApiClient, type ApiTarget, apiPath } from "@fleet-reloader/testkit/api-client";
import { expectOk } from "../api/expect-ok.ts";
import { field, items, text } from "../api/field.ts";
import type { SourceKind } from "./informer.ts";
import { type BucketRate, createTokenBucket } from "./token-bucket.ts";

/** client-go's default, per REST client; each API group has one of its own, and each event makes them anew. */
export const defaultRate: BucketRate = { perSecond: 5, burst: 10 };
/** Deployments, DaemonSets and StatefulSets are listed through the client that also patches. */
export const listsInAppsBucket = 3;

const apps = "/apis/apps/v1";
const batch = "/apis/batch/v1";
/** The peer's order of action (compat 3.6); Rollouts only with a flag. */
const collections = [
  [apps, "deployments"],
  [batch, "cronjobs"],
  [batch, "jobs"],
  [apps, "daemonsets"],
  [apps, "statefulsets"],
] as const;

export interface SourceEvent {
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
  readonly hash: string;
}

export interface EventCounts {
  lists: number;
  patches: number;
}

/** What the peer does about one changed source: lists of every workload kind, uncached, and one PATCH after the other. */
export async function handleEvent(
  event: SourceEvent,
  options: { readonly target: ApiTarget; readonly optIn: string; readonly counts: EventCounts },
): Promise<void> {
  const client = new ApiClient(options.target);
  const now = performance.now();
  const buckets = {
    [apps]: createTokenBucket(defaultRate, now),
    [batch]: createTokenBucket(defaultRate, now),
  };
  const limited = async (group: typeof apps | typeof batch): Promise<void> => {
    const waitMs = buckets[group](performance.now());
    if (waitMs > 0) await wait(waitMs);
  };
  for (const [group, plural] of collections) {
    await limited(group);
    options.counts.lists += 1;
    const path = `${group}/namespaces/${event.namespace}/${plural}`;
    const list = await expectOk(`list ${plural}`, client.send("GET", path));
    for (const workload of items(list)) {
      if (text(workload, "metadata", "annotations", options.optIn) !== "true") continue;
      const container = containerUsing(workload, event);
      if (container === undefined) continue;
      await limited(group);
      options.counts.patches += 1;
      await patch(client, text(workload, "metadata", "name"), container, event);
    }
  }
}

/** The first container whose environment or volumes use the source; only the forms that our objects have. */
function containerUsing(workload: unknown, { kind, name }: SourceEvent): string | undefined {
  const spec = field(workload, "spec", "template", "spec");
  const [reference, nameField] =
    kind === "ConfigMap" ? (["configMap", "name"] as const) : (["secret", "secretName"] as const);
  const containers = listAt(spec, "containers");
  const uses = containers.find((container) =>
    listAt(container, "envFrom").some((from) => text(from, `${reference}Ref`, "name") === name),
  );
  const isMounted = listAt(spec, "volumes").some((volume) => text(volume, reference, nameField) === name);
  const chosen = uses ?? (isMounted ? containers[0] : undefined);
  return chosen === undefined ? undefined : text(chosen, "name");
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}

/** The env-vars strategy, which is the peer's default (compat 3.1). */
async function patch(
  client: ApiClient,
  workload: string,
  container: string,
  event: SourceEvent,
): Promise<void> {
  const variable = `STAKATER_${event.name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_${event.kind.toUpperCase()}`;
  const containers = [{ name: container, env: [{ name: variable, value: event.hash }] }];
  const path = `${apiPath("Deployment", event.namespace, workload)}?fieldManager=PeerModel`;
  const body = { spec: { template: { spec: { containers } } } };
  await expectOk(
    `patch ${workload}`,
    client.send("PATCH", path, body, "application/strategic-merge-patch+json"),
  );
}
