import { expect, test } from "vitest";
import { failed, held, rolled, rolloutFailed } from "./fixture/reports.ts";
import type { Notification } from "./notification.ts";
import type { Letter } from "./outbox.ts";
import { webhookBody } from "./webhook-body.ts";

const parsed = (letter: Letter<Notification>): unknown => JSON.parse(webhookBody(letter).text);
const head = {
  time: "2026-01-02T03:04:05.000Z",
  cluster: { name: "prod", id: "uid-of-kube-system" },
  workload: { kind: "Deployment", namespace: "shop", name: "api" },
};
const roll = {
  type: "rolled",
  ...head,
  strategy: "annotations",
  sources: [{ kind: "ConfigMap", namespace: "shop", name: "settings", reason: "SourceChanged" }],
};
const failure = {
  type: "failed",
  ...head,
  fault: { code: "kube.rejected", message: "answered 422: no" },
};

const hold = {
  type: "held",
  ...head,
  hold: { reason: "WorkloadLooping", why: "it was rolled 10 times in 10m" },
};

// Programs read this: a change that is not an addition needs a new version (docs/reference/webhook.md).
test("version 1 of what a machine gets", () => {
  expect(parsed({ type: "single", item: rolled() })).toEqual({ version: 1, ...roll });
  expect(parsed({ type: "single", item: failed() })).toEqual({ version: 1, ...failure });
  expect(parsed({ type: "single", item: rolloutFailed() })).toEqual({
    ...{ version: 1, type: "rollout-failed", ...head },
    rollout: { reason: "CrashLoopBackOff", message: "container app", seconds: 15 },
  });
  expect(parsed({ type: "single", item: held() })).toEqual({ version: 1, ...hold });
  const counts = new Map([
    ["rolled", 2],
    ["failed", 1],
    ["rollout-failed", 1],
    ["held", 3],
  ]);
  const digest = { count: 7, urgentCount: 5, counts, first: [failed(), held(), rolled()] };
  expect(parsed({ type: "digest", digest })).toEqual({
    version: 1,
    type: "digest",
    count: 7,
    ...{ failed: 2, held: 3 },
    first: [failure, hold, roll],
  });
});
