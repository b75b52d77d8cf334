import { createHash, randomBytes } from "node:crypto";
import { compatHash } from "@fleet-reloader/domain/compat/hash";
import { Fault } from "@fleet-reloader/domain/fault";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { testSha1 } from "@fleet-reloader/domain/fixture/test-keys";
import { ClusterWatcher } from "@fleet-reloader/engine/watch/cluster-watcher";
import { expect, test } from "vitest";
import { auto, createTestBed } from "../../beds/test-bed.ts";
import type { ClusterCall } from "../../memory/memory-calls.ts";

/** Everything that gives a value away: itself, encoded, or digested without a key. */
function tracesOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const digests = ["md5", "sha1", "sha256"].flatMap((name) =>
    (["hex", "base64", "base64url"] as const).map((encoding) =>
      createHash(name).update(bytes).digest(encoding),
    ),
  );
  const content = { data: new Map([["password", bytes]]), binaryData: new Map() };
  const asPeer = compatHash("Secret", content, testSha1);
  return [value, bytes.toString("base64"), bytes.toString("hex"), asPeer, ...digests];
}

// I4: random canaries through every path, also where calls fail with errors that quote what they were about.
test("no content and no unkeyed digest of a source leaves the process that hashes it", async () => {
  const canaries: string[] = [];
  let failure: Fault | undefined;
  const bed = createTestBed({
    settings: { debounce: { quietPeriodMs: 1000, maxWaitMs: 5000 } },
    before: (call: ClusterCall) => {
      const fault = failure;
      if (fault === undefined || call.verb === "list") return;
      failure = undefined;
      throw fault;
    },
  });
  const { cluster, queue, index, log } = bed;
  const plant = () => {
    const [secret, config] = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")];
    canaries.push(secret, config);
    cluster.setSource("Secret", "tls", { password: secret });
    cluster.setSource("ConfigMap", "app", { [config]: config, password: config });
  };
  plant();
  cluster.setWorkload("api", {
    template: templateUsing({ app: {}, tls: { kind: "Secret" } }),
    annotations: auto,
  });
  cluster.setWorkload("key", {
    template: templateUsing({ tls: { kind: "Secret", keys: ["password"], optional: true } }),
    annotations: { ...auto, "fleet-reloader.io/strategy": "env-vars", "fleet-reloader.io/debounce": "often" },
  });
  const lifetime = new AbortController();
  const running = new ClusterWatcher({ ...bed, cluster: "c1", name: "c1", streams: cluster }).run(
    lifetime.signal,
  );
  const codes = [
    "kube.timeout",
    "kube.forbidden",
    "kube.rejected",
    "kube.conflict",
    "engine.invariant",
  ] as const;
  for (const code of [undefined, ...codes]) {
    failure = code === undefined ? undefined : new Fault(code, "refused");
    await bed.elapse(5000);
    plant();
  }
  lifetime.abort();
  await running;

  expect(cluster.rolls().length).toBeGreaterThanOrEqual(codes.length);
  const workloads = cluster.workloadRefs.map((ref) => cluster.workload(ref));
  const seen = [
    log.text,
    JSON.stringify([queue.additions, index.workloads, workloads, bed.meter.sentences]),
  ].join();
  for (const trace of canaries.flatMap(tracesOf)) expect(seen).not.toContain(trace);
  // Nor do marks and applied states belong into a log, keyed as they are.
  for (const mark of JSON.stringify(workloads).match(/[\w-]{22}(?=\\?")/g) ?? [])
    expect(log.text).not.toContain(mark);
});
