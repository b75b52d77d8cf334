import { isDeepStrictEqual } from "node:util";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { parseLabelSelector } from "@fleet-reloader/domain/workload/label-selector";
import type { ClusterStreams, Stream } from "@fleet-reloader/engine/watch/cluster-streams";
import { expect, test } from "vitest";
import { failingStream } from "../../beds/failing-stream.ts";
import { scope, serving } from "../../beds/served-namespaces.ts";
import { auto } from "../../beds/test-bed.ts";

const minuteMs = 60_000;
const web = { team: "web" };

interface Broken {
  readonly state?: "backoff" | "blocked";
  /** The stream over all namespaces fails like the lists of single ones. */
  readonly isEverywhere?: boolean;
}

/** A cluster that answers 503 to each list of this kind in a single namespace, or refuses it, until it is mended. */
async function servingBroken(brokenKind: string, { state, isEverywhere = false }: Broken = {}) {
  const mended = Promise.withResolvers<void>();
  const listed: string[] = [];
  const noted = (stream: Stream, kind: string, namespace: string | undefined): Stream => {
    const failing = kind === brokenKind ? failingStream(stream, mended.promise, state) : stream;
    if (namespace === undefined) return isEverywhere ? failing : stream;
    listed.push(`${kind} in ${namespace}`);
    return failing;
  };
  const streamsOf = (cluster: ClusterStreams): ClusterStreams => ({
    workloads: (kind, handler, namespace) =>
      noted(cluster.workloads(kind, handler, namespace), kind.kind, namespace),
    sources: (kind, handler, namespace) => noted(cluster.sources(kind, handler, namespace), kind, namespace),
    namespaces: (handler) => cluster.namespaces(handler),
    serverSeconds: () => cluster.serverSeconds(),
  });
  const selector = parseLabelSelector("team=web");
  if ("problem" in selector) throw new Error(selector.problem);
  const labels = { a: web, b: {}, c: {} };
  const bed = await serving(labels, scope({ namespaceSelector: selector }), {}, streamsOf);
  bed.cluster.namespace = "b";
  bed.cluster.setWorkload("agent", { template: templateUsing({ app: {} }), annotations: auto }, "DaemonSet");
  const match = async (...namespaces: readonly string[]) => {
    for (const namespace of namespaces) bed.cluster.setNamespace(namespace, web);
    await bed.elapse(200);
  };
  const isServed = (namespace: string) =>
    bed.log.lines.some(
      ({ message, fields }) => message === "namespace served" && isDeepStrictEqual(fields, { namespace }),
    );
  return { ...bed, listed, match, isServed, mend: () => mended.resolve() };
}

test("a workload kind whose list fails keeps no other from being listed", async () => {
  await using bed = await servingBroken("DaemonSet");
  await bed.match("b", "c");
  expect(bed.index.workloads).toEqual(["Deployment/a/api", "Deployment/b/api", "Deployment/c/api"]);
});

test("a workload kind whose list fails delays the sources by a minute at most", async () => {
  await using bed = await servingBroken("DaemonSet");
  await bed.match("b", "c");
  await bed.elapse(minuteMs - 1000);
  expect(bed.listed).not.toContain("ConfigMap in b");
  await bed.elapse(1000);
  expect(bed.listed).toEqual(expect.arrayContaining(["ConfigMap in b", "ConfigMap in c", "Secret in c"]));
});

test("a source kind whose list fails keeps no other namespace from being served", async () => {
  await using bed = await servingBroken("Secret");
  await bed.match("b", "c");
  expect(bed.index.workloads).toContain("Deployment/c/api");
  expect(bed.listed).toContain("ConfigMap in c");
});

test("a namespace is served when the last list of a kind succeeds, however late", async () => {
  await using bed = await servingBroken("DaemonSet");
  await bed.match("b");
  await bed.elapse(2 * minuteMs);
  expect([bed.index.workloads.includes("DaemonSet/b/agent"), bed.isServed("b")]).toEqual([false, false]);
  bed.mend();
  await bed.elapse(200);
  expect([bed.index.workloads.includes("DaemonSet/b/agent"), bed.isServed("b")]).toEqual([true, true]);
});

test("a namespace whose list is refused for a moment is listed again", async () => {
  await using bed = await servingBroken("DaemonSet", { state: "blocked" });
  await bed.match("b");
  expect([bed.index.workloads.includes("DaemonSet/b/agent"), bed.isServed("b")]).toEqual([false, false]);
  bed.mend();
  await bed.elapse(200);
  expect([bed.index.workloads.includes("DaemonSet/b/agent"), bed.isServed("b")]).toEqual([true, true]);
});

test("a kind that may not be listed anywhere keeps no namespace from being served", async () => {
  await using bed = await servingBroken("DaemonSet", { state: "blocked", isEverywhere: true });
  await bed.match("b");
  expect([bed.isServed("b"), bed.listed.includes("ConfigMap in b")]).toEqual([true, true]);
  bed.mend();
  await bed.elapse(200);
  expect(bed.index.workloads).toContain("DaemonSet/b/agent");
});

test("a namespace that ceases to match while a kind fails is not listed any more", async () => {
  await using bed = await servingBroken("DaemonSet");
  await bed.match("b");
  bed.cluster.setNamespace("b", {});
  await bed.elapse(200);
  bed.mend();
  await bed.elapse(minuteMs);
  expect(bed.index.workloads).toEqual(["Deployment/a/api"]);
  expect([bed.listed.includes("ConfigMap in b"), bed.isServed("b")]).toEqual([false, false]);
});
