import fc from "fast-check";
import { expect, test } from "vitest";
import { Keys } from "./keys.ts";
import { requestId } from "./request-job.ts";

// What Kubernetes allows in names, with all that could be taken for a separator; and digits alone.
const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,8}[a-z0-9])?$/);
const kind = fc.constantFrom("Deployment", "StatefulSet", "ConfigMap");
const request = fc.record({
  cluster: fc.oneof(fc.uuid(), fc.stringMatching(/^server-[0-9a-f]{8}$/)),
  workload: fc.record({ kind, namespace: name, name }),
});

test("different workloads have different ids and keys, whatever they are called (X4)", () => {
  const keys = new Keys("fleet-reloader");
  fc.assert(
    fc.property(request, request, (a, b) => {
      const isSame = JSON.stringify(a) === JSON.stringify(b);
      expect(requestId(a, "change") === requestId(b, "adoption")).toBe(isSame);
      expect(keys.firstChange(requestId(a, "change")) === keys.firstChange(requestId(b, "change"))).toBe(
        isSame,
      );
    }),
    { numRuns: 1000 },
  );
});

test("every key lies in the slot of its shard", () => {
  const keys = new Keys("fleet-reloader");
  const { epoch, engagedAt, workloads, root } = keys.cluster("c1");
  const all = [keys.markKeyId, keys.queuePrefix, keys.firstChange("r"), epoch, engagedAt, workloads, root];
  for (const key of [...all, keys.cluster("c1").handled("Secret")])
    expect(key.startsWith("{fleet-reloader:00}")).toBe(true);
});
