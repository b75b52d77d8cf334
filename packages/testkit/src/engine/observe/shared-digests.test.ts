import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { testKeyring } from "@fleet-reloader/domain/fixture/test-keys";
import { expect, test } from "vitest";
import { auto, createTestBed, outcomeOf } from "../../beds/test-bed.ts";

test("workloads that share the read of a source share the digest of its content", async () => {
  const ring = testKeyring("k1");
  const digested: string[] = [];
  const current = {
    keyId: "k1",
    digest: (bytes: Uint8Array) => {
      digested.push(Buffer.from(bytes).toString("latin1"));
      return ring.current.digest(bytes);
    },
  };
  const { clock, cluster, reconcile } = createTestBed({ keys: { ...ring, current } });
  cluster.setSource("ConfigMap", "app", { a: "the first content" });
  const template = templateUsing({ app: {} });
  const all = Array.from({ length: 20 }, (_, at) =>
    cluster.setWorkload(`w${at}`, { template, annotations: auto }),
  );
  await clock.advance(10_000);
  for (const one of all) await reconcile(one, { purpose: "adoption" });
  cluster.setSource("ConfigMap", "app", { a: "the second content" });
  const results = await Promise.all(all.map((one) => reconcile(one)));
  expect(new Set(results.map(outcomeOf))).toEqual(new Set(["rolled"]));
  expect(digested.filter((text) => text.includes("the second content"))).toHaveLength(1);
});
