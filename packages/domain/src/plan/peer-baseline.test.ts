import { describe, expect, test } from "vitest";
import { utf8 } from "../bytes.ts";
import { compatDeletedMarker, compatHash } from "../compat/hash.ts";
import { formatLastReloadedFrom, lastReloadedFromAnnotation } from "../compat/last-reloaded-from.ts";
import { contentOf, PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";
import { testKeyring, testSha1 } from "../fixture/test-keys.ts";
import { applyEdit } from "../strategy/apply-edit.ts";

const peerHash = (data: Readonly<Record<string, string>>) =>
  compatHash("ConfigMap", contentOf(data), testSha1);

/** The peer's variable in a template, as its env-vars strategy leaves it. */
function withVariable(name: string, value: string, template: unknown = templateUsing({ app: {} })): unknown {
  return applyEdit(template, { env: [{ container: "main", name, value }] });
}

/** The peer's annotation, as its annotations strategy leaves it. */
function withAnnotation(name: string, hash: string, template: unknown = templateUsing({ app: {} })): unknown {
  const source = { kind: "ConfigMap", namespace: "ns", name } as const;
  const text = formatLastReloadedFrom({ source, hash, containerRefs: ["main"], observedAtSeconds: 7 });
  return applyEdit(template, { annotations: { [lastReloadedFromAnnotation]: text } });
}

function firstSight(template: unknown, data: Readonly<Record<string, string>> | undefined) {
  const workload = new PlannedWorkload(template);
  workload.engagedAtSeconds = workload.now + 100;
  if (data !== undefined) workload.set("ConfigMap", "app", data);
  return workload.reconcile();
}

const variable = "STAKATER_APP_CONFIGMAP";

describe("what the peer left on a workload is its baseline at first sight", () => {
  test.each([
    ["variable", (data: Readonly<Record<string, string>>) => withVariable(variable, peerHash(data))],
    ["annotation", (data: Readonly<Record<string, string>>) => withAnnotation("app", peerHash(data))],
  ])("its %s of this content rolls nothing, of another one rolls", (_, left) => {
    expect(firstSight(left({ a: "1" }), { a: "1" })).toEqual({});
    expect(firstSight(left({ a: "1" }), { a: "2" })).toEqual({ app: "ChangedBeforeAdoption" });
  });

  test("and a roll for it happens once", () => {
    const workload = new PlannedWorkload(withVariable(variable, peerHash({ a: "1" })));
    workload.set("ConfigMap", "app", { a: "2" });
    expect(workload.reconcile()).toEqual({ app: "ChangedBeforeAdoption" });
    expect(workload.reconcile()).toEqual({});
  });

  test("an annotation about another source says nothing of this one", () => {
    expect(firstSight(withAnnotation("other", peerHash({ a: "1" })), { a: "2" })).toEqual({});
  });

  // Rolls by annotation leave earlier variables as they were, so nobody knows which is newer.
  test("a variable beside an annotation that tells of a later roll proves no change", () => {
    const template = withVariable(variable, peerHash({ a: "1" }), templateUsing({ app: {}, db: {} }));
    const workload = new PlannedWorkload(withAnnotation("db", peerHash({ b: "1" }), template));
    workload.engagedAtSeconds = workload.now + 100;
    workload.set("ConfigMap", "app", { a: "2" });
    workload.set("ConfigMap", "db", { b: "1" });
    expect(workload.reconcile()).toEqual({});
    workload.now += 200;
    workload.set("ConfigMap", "app", { a: "3" });
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
  });

  test("the peer's mark of a deletion differs from every content", () => {
    const left = withVariable(variable, testSha1(utf8(compatDeletedMarker)));
    expect(firstSight(left, { a: "1" })).toEqual({ app: "ChangedBeforeAdoption" });
    expect(firstSight(left, undefined)).toEqual({});
  });

  test.each([
    "",
    "true",
    "not a hash",
    peerHash({ a: "1" }).toUpperCase(),
    "v1:other:AAAAAAAAAAAAAAAAAAAAAA",
  ])("a variable that reads %j cannot be compared: the source is adopted", (value) => {
    expect(firstSight(withVariable(variable, value), { a: "2" })).toEqual({});
  });

  // `app-x` and `app.x` share one variable. The peer writes the hash of the one that changed last into it.
  test("a variable that is another source's says nothing of this one", () => {
    const template = templateUsing({ "app-x": {}, "app.x": {} });
    const workload = new PlannedWorkload(
      withVariable("STAKATER_APP_X_CONFIGMAP", peerHash({ a: "1" }), template),
    );
    workload.set("ConfigMap", "app-x", { a: "1" });
    workload.set("ConfigMap", "app.x", { a: "2" });
    expect(workload.reconcile()).toEqual({});
  });

  test("a variable that neither of the two sources explains rolls for both, once", () => {
    const template = templateUsing({ "app-x": {}, "app.x": {} });
    const workload = new PlannedWorkload(
      withVariable("STAKATER_APP_X_CONFIGMAP", peerHash({ a: "0" }), template),
    );
    workload.set("ConfigMap", "app-x", { a: "1" });
    workload.set("ConfigMap", "app.x", { a: "2" });
    expect(Object.keys(workload.reconcile())).toEqual(["app-x", "app.x"]);
    expect(workload.reconcile()).toEqual({});
  });

  // The combined mark on the template shows that an unverified roll of ours was made.
  test("a variable that two sources share is told by the mark of both", () => {
    const workload = new PlannedWorkload(templateUsing({ "app-x": {}, "app.x": {} }));
    workload.strategy = "env-vars";
    workload.set("ConfigMap", "app-x", { a: "1" });
    workload.set("ConfigMap", "app.x", { a: "1" });
    workload.engagedAtSeconds = workload.now + 100;
    workload.reconcile();
    const before = workload.appliedText;
    workload.now += 200;
    workload.set("ConfigMap", "app.x", { a: "2" });
    expect(workload.reconcile()).toEqual({ "app.x": "SourceChanged" });
    workload.appliedText = before;
    workload.isDamaged = true;
    expect(workload.reconcile()).toEqual({});
  });

  test("does not count once the workload has an applied state", () => {
    const workload = new PlannedWorkload(withVariable(variable, peerHash({ a: "1" })));
    workload.set("ConfigMap", "app", { a: "1" });
    workload.reconcile();
    workload.edit(withVariable(variable, peerHash({ a: "0" })));
    expect(workload.reconcile()).toEqual({});
  });
});

describe("a workload whose applied state was taken away", () => {
  function rolledByUs(strategy: "annotations" | "env-vars"): PlannedWorkload {
    const template = templateUsing({ app: {}, db: {} });
    const workload = new PlannedWorkload(withVariable(variable, peerHash({ a: "1" }), template));
    workload.strategy = strategy;
    workload.set("ConfigMap", "app", { a: "1" });
    workload.set("ConfigMap", "db", { a: "1" });
    workload.reconcile();
    for (const name of ["app", "db"]) {
      workload.set("ConfigMap", name, { a: "2" });
      expect(workload.reconcile()).toEqual({ [name]: "SourceChanged" });
    }
    workload.appliedText = undefined;
    return workload;
  }

  // The peer's traces are older than our own mark, so they say nothing about these pods (I2).
  test.each(["annotations", "env-vars"] as const)(
    "is not rolled for the %s we or the peer left",
    (strategy) => {
      const workload = rolledByUs(strategy);
      expect(workload.reconcile()).toEqual({});
      expect(workload.reconcile()).toEqual({});
    },
  );

  test("is adopted as it is when our mark is of a key that is lost", () => {
    const workload = rolledByUs("env-vars");
    workload.keys = testKeyring("k2");
    expect(workload.reconcile()).toEqual({});
  });

  test("is adopted as it is when our mark is of another content: it proves nothing", () => {
    const workload = rolledByUs("env-vars");
    workload.set("ConfigMap", "app", { a: "3" });
    expect(workload.reconcile()).toEqual({});
  });
});
