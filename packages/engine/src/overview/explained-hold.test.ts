import { expect, test } from "vitest";
import { freezeSentence } from "../admission/brakes.ts";
import { againWhenFree } from "../ports/request.ts";
import { explainHold } from "./explained-hold.ts";

const request = { cluster: "uid-1", workload: { kind: "Deployment", namespace: "shop", name: "api" } };
const status = { state: "Degraded", why: ["no answer within 5 s"] } as const;
const cluster = {
  ...{ name: "nova", id: "uid-1", labels: {}, status, watcher: undefined },
  ...{ workloads: 1, unobserved: 0, rollouts: 0, report: undefined },
};
const context = { cluster, freezes: [], sources: [], unfinished: [], nameOf: () => "nova", nowMs: 0 };

/** The explanation of a request on hold, as the queue has it. */
function whyOf(reason: string, why?: string): string {
  const again = againWhenFree({ type: "hold", reason, why, afterMs: 1000 });
  return explainHold({ id: "1", request, againAtMs: 1000, reason, ...again.hold }, context).why;
}

test("a hold is explained in the words of what holds it", () => {
  const why = "the breaker of Deployment/shop/api is open: it was rolled 4 times in 1h";
  expect(whyOf("WorkloadLooping", why)).toBe(why);
  expect(whyOf("FrozenByAnnotation", "the workload is annotated as frozen: audit")).toMatch(/: audit$/);
});

test("a hold of a cluster is explained by what is wrong with the cluster", () => {
  expect(whyOf("ClusterFailing")).toBe("no answer within 5 s");
});

// The changed source is not frozen. Another source that the workload uses is.
test("a hold is explained by the freeze that it began with, while that is in force", () => {
  const db = { kind: "Secret", namespace: "shop", name: "db" } as const;
  const ofNamespace = { scope: { namespace: "shop" }, reason: "release", by: "ann", untilMs: 60_000 };
  const ofSource = { scope: { namespace: "shop", source: db }, reason: "audit", by: "bob" };
  const its = { ...context, freezes: [ofNamespace, ofSource], sources: [db] };
  const held = { id: "1", request, againAtMs: 1000, reason: "Frozen", why: freezeSentence(ofNamespace) };
  expect(explainHold(held, its).why).toMatch(/release \(by ann\)$/);
  expect(explainHold(held, { ...its, nowMs: 60_000 }).why).toMatch(/audit \(by bob\)$/);
});
