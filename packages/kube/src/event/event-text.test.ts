import type { RolledSource } from "@fleet-reloader/engine/ports/reporter";
import { expect, test } from "vitest";
import { endedText, failedText, rolledText, unreadableText } from "./event-text.ts";

const workload = { kind: "Deployment", namespace: "shop", name: "api" };
const reportHead = { cluster: "c1", clusterName: "one", workload, atMs: 0 } as const;
const source = (kind: RolledSource["kind"], name: string): RolledSource => ({
  kind,
  namespace: "shop",
  name,
  reason: "SourceChanged",
});
const rolled = (...sources: readonly RolledSource[]) =>
  rolledText({ ...reportHead, uid: "u", strategy: "annotations", sources });

test("a roll is told in the peer's words, with the reason", () => {
  expect(rolled(source("ConfigMap", "settings"))).toEqual({
    type: "Normal",
    reason: "Reloaded",
    message:
      "Changes detected in 'settings' of type 'CONFIGMAP' in namespace 'shop' (SourceChanged), Updated 'api' of type 'Deployment' in namespace 'shop'",
    component: "reloader-configmaps",
  });
});

test("the component names the kind of the sources, as the peer has one for each", () => {
  expect(rolled(source("Secret", "a"), source("Secret", "b")).component).toBe("reloader-secrets");
  expect(rolled(source("SecretProviderClass", "a")).component).toBe(
    "reloader-secretproviderclasspodstatuses",
  );
  expect(rolled(source("Secret", "a"), source("ConfigMap", "b")).component).toBe("reloader-configmaps");
});

test("many sources are counted, and the message stays within what the API server takes", () => {
  const many = Array.from({ length: 40 }, (_, i) => source("Secret", `${i}`.padStart(253, "s")));
  const { message } = rolled(...many);
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
  expect(rolled(...many.slice(0, 7).map((one, i) => ({ ...one, name: `s${i}` }))).message).toContain(
    "'s4' of type 'SECRET' in namespace 'shop' (SourceChanged) and 2 more",
  );
});

test("a failure names its code; what is not ASCII is cut between characters", () => {
  const text = failedText({
    ...reportHead,
    code: "kube.rejected",
    message: "ü".repeat(2000),
    changedKinds: [],
  });
  expect(text).toMatchObject({ type: "Warning", reason: "ReloadFail" });
  expect(text.message).toMatch(
    /^Update for 'api' of type 'Deployment' in namespace 'shop' failed with error kube\.rejected: ü+…$/,
  );
  expect(Buffer.byteLength(text.message)).toBeLessThanOrEqual(1024);
});

test("a failure has the component of the kind that changed", () => {
  const failure = { ...reportHead, code: "kube.rejected", message: "quota" } as const;
  expect(failedText({ ...failure, changedKinds: ["Secret", "Secret"] }).component).toBe("reloader-secrets");
  expect(failedText({ ...failure, changedKinds: ["Secret", "ConfigMap"] }).component).toBe(
    "reloader-configmaps",
  );
  expect(failedText({ ...failure, changedKinds: [] }).component).toBe("reloader-configmaps");
});

test("an unreadable annotation is named with its value, what is wrong and the mend", () => {
  const problem = {
    annotation: "fleet-reloader.io/debounce",
    value: "soon",
    problem: "is no duration",
    mend: "write 30s",
  };
  expect(unreadableText({ ...reportHead, uid: "u", problem })).toMatchObject({
    type: "Warning",
    reason: "AnnotationUnreadable",
    message: 'annotation fleet-reloader.io/debounce: "soon" is no duration; write 30s',
  });
});

test.each([
  ["failed", "CrashLoopBackOff", "RolloutFailed", "has failed (CrashLoopBackOff): container app"],
  ["stalled", "NoProgress", "RolloutStalled", "goes no further (NoProgress): container app"],
] as const)("a rollout that has %s is a warning with its reason", (result, why, reason, said) => {
  const text = endedText({
    ...reportHead,
    uid: "u",
    result,
    reason: why,
    message: "container app",
    seconds: 15,
  });
  expect(text).toMatchObject({ type: "Warning", reason });
  expect(text?.message).toBe(`Rollout of 'api' of type 'Deployment' in namespace 'shop' ${said}`);
});

test.each([
  ["healthy", "Available"],
  ["stalled", "Paused"],
] as const)("a rollout that is %s since it is %s is no Event", (result, reason) => {
  expect(endedText({ ...reportHead, uid: "u", result, reason, message: "", seconds: 5 })).toBeUndefined();
});

test("a name that leads nowhere has a reason of its own", () => {
  const problem = { annotation: "a", value: "setings", problem: "names nothing", mend: "write settings" };
  expect(unreadableText({ ...reportHead, uid: "u", reason: "NamedSourceMissing", problem })).toMatchObject({
    type: "Warning",
    reason: "NamedSourceMissing",
    message: 'annotation a: "setings" names nothing; write settings',
  });
});

test("a finding of lint has its rule, and a field that may be no annotation", () => {
  const problem = { annotation: "spec.a", value: "v", problem: "has no effect", mend: "take it away" };
  const report = {
    ...reportHead,
    uid: "u",
    reason: "LintFinding",
    rule: "mount-by-subpath",
    problem,
  } as const;
  expect(unreadableText(report)).toMatchObject({
    type: "Warning",
    reason: "LintFinding",
    message: 'mount-by-subpath: spec.a: "v" has no effect; take it away',
  });
});
