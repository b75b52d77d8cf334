import { Fault, type FaultCode } from "@fleet-reloader/domain/fault";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { describe, expect, test } from "vitest";
import { adopted, failing } from "../../beds/adopted-deployment.ts";

const counted = "roll failed c1 Deployment";

describe("a roll that could not be written is counted", () => {
  const failed = async (code: FaultCode, attemptsMade = 0) => {
    const failure = failing("patch", "Deployment/ns/api", new Fault(code, "refused"), 4);
    const bed = await adopted({ before: failure.before });
    bed.edit("2");
    failure.arm();
    await expect(bed.reconcile(bed.api, { attemptsMade })).rejects.toMatchObject({ code });
    return bed.meter.count(counted);
  };

  // A right that is missing delays the request, as an outage does: neither counts as an attempt.
  test.each(["kube.forbidden", "kube.unreachable", "kube.server-error", "kube.rejected"] as const)(
    "where the PATCH is answered with %s",
    async (code) => {
      expect(await failed(code)).toBe(1);
    },
  );

  test.each(["engine.aborted", "kube.throttled", "engine.overloaded"] as const)(
    "unless it only waits: %s",
    async (code) => {
      expect(await failed(code)).toBe(0);
    },
  );

  test("and after a conflict only once people are notified of it", async () => {
    expect(await failed("kube.conflict", 3)).toBe(0);
    expect(await failed("kube.conflict", 4)).toBe(1);
  });
});

describe("a request that fails is no failed roll", () => {
  test.each([
    ["read", "Deployment/ns/api"],
    ["read", "ConfigMap/ns/app"],
  ] as const)("where it fails before a roll is found due: %s %s", async (verb, target) => {
    const failure = failing(verb, target, new Fault("kube.server-error", "500"));
    const bed = await adopted({ before: failure.before });
    bed.edit("2");
    failure.arm();
    await expect(bed.run()).rejects.toThrow("500");
    expect(bed.meter.count(counted)).toBe(0);
  });

  test("where only the applied state was to be written", async () => {
    const failure = failing("patch", "Deployment/ns/api", new Fault("kube.server-error", "500"));
    const bed = await adopted({ before: failure.before });
    bed.cluster.setSource("Secret", "tls", { a: "1" });
    bed.cluster.setWorkload("api", { template: templateUsing({ app: {}, tls: { kind: "Secret" } }) });
    failure.arm();
    await expect(bed.reconcile(bed.api, { purpose: "adoption" })).rejects.toThrow("500");
    expect(bed.meter.count("reconciled c1 retry")).toBe(1);
    expect(bed.meter.count(counted)).toBe(0);
  });
});
