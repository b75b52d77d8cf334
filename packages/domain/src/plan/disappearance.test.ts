import { describe, expect, test } from "vitest";
import { adoptedBy, onBoth, onCreate, onDelete } from "../fixture/adopted-by-rules.ts";
import { PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";
import { jsonField } from "../json.ts";
import { parsePodTemplate } from "../workload/pod-template.ts";

describe("a source that goes", () => {
  test.each([
    ["with the flag", onDelete, { app: "SourceDeleted" }],
    ["not without it", onCreate, {}],
  ] as const)("rolls %s", (_, rules, expected) => {
    const workload = adoptedBy(rules, { a: "1" });
    workload.remove("ConfigMap", "app");
    expect(workload.reconcile()).toEqual(expected);
    expect(workload.reconcile()).toEqual({});
  });

  test("and is back with the same content before anybody looked is no change", () => {
    const workload = adoptedBy(onBoth, { a: "1" });
    workload.remove("ConfigMap", "app");
    workload.now += 1;
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual({});
  });

  test("and comes back after the roll rolls again", () => {
    const workload = adoptedBy(onBoth, { a: "1" });
    workload.remove("ConfigMap", "app");
    expect(workload.reconcile()).toEqual({ app: "SourceDeleted" });
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual({ app: "SourceCreated" });
  });

  test("rolls also where a pattern found it, and leaves no trace in the applied state", () => {
    const workload = new PlannedWorkload(templateUsing({}));
    workload.rules = onBoth;
    workload.nameAll("ConfigMap", "tenant-");
    workload.reconcile();
    const before = workload.appliedText;
    workload.now += 100;
    workload.set("ConfigMap", "tenant-1", { a: "1" });
    expect(workload.reconcile()).toEqual({ "tenant-1": "SourceCreated" });
    workload.remove("ConfigMap", "tenant-1");
    expect(workload.reconcile()).toEqual({ "tenant-1": "SourceDeleted" });
    expect(jsonField(JSON.parse(workload.appliedText ?? ""), "sources")).toEqual(
      jsonField(JSON.parse(before ?? ""), "sources"),
    );
    workload.set("ConfigMap", "tenant-1", { a: "1" });
    expect(workload.reconcile()).toEqual({ "tenant-1": "SourceCreated" });
  });
});

describe("a roll for a source that is gone is written", () => {
  const markerHash = "aae45badef99284e4dae01d6046154ea9d99532f";

  test("as an annotation with the peer's hash of a deletion", () => {
    const workload = adoptedBy(onDelete, { a: "1" });
    workload.remove("ConfigMap", "app");
    workload.reconcile();
    const { annotations } = parsePodTemplate(workload.template).metadata;
    const text = annotations["reloader.stakater.com/last-reloaded-from"] ?? "";
    expect(JSON.parse(text)).toMatchObject({ type: "CONFIGMAP", name: "app", hash: markerHash });
  });

  test("by taking its variable away, and no other", () => {
    const workload = new PlannedWorkload(templateUsing({ app: {}, db: {} }));
    workload.rules = onBoth;
    workload.strategy = "env-vars";
    for (const name of ["app", "db"]) workload.set("ConfigMap", name, { a: "1" });
    workload.reconcile();
    for (const name of ["app", "db"]) workload.set("ConfigMap", name, { a: "2" });
    workload.reconcile();
    expect(variables(workload)).toEqual(["STAKATER_APP_CONFIGMAP", "STAKATER_DB_CONFIGMAP"]);
    workload.remove("ConfigMap", "app");
    const before = workload.template;
    expect(workload.reconcile()).toEqual({ app: "SourceDeleted" });
    expect(variables(workload)).toEqual(["STAKATER_DB_CONFIGMAP"]);
    expect(workload.template).not.toEqual(before);
  });

  // The peer does not roll then, but the pods still have the deleted content.
  test("as an annotation where there never was a variable", () => {
    const workload = adoptedBy(onDelete, { a: "1" });
    workload.strategy = "env-vars";
    workload.remove("ConfigMap", "app");
    expect(workload.reconcile()).toEqual({ app: "SourceDeleted" });
    expect(variables(workload)).toEqual([]);
    expect(parsePodTemplate(workload.template).metadata.annotations).toHaveProperty([
      "reloader.stakater.com/last-reloaded-from",
    ]);
  });

  test("as the variable of the other where two share one", () => {
    const workload = new PlannedWorkload(templateUsing({ "app-x": {}, "app.x": {} }));
    workload.rules = onDelete;
    workload.strategy = "env-vars";
    for (const name of ["app-x", "app.x"]) workload.set("ConfigMap", name, { a: "1" });
    workload.reconcile();
    workload.set("ConfigMap", "app-x", { a: "2" });
    workload.reconcile();
    const before = values(workload);
    workload.remove("ConfigMap", "app-x");
    expect(workload.reconcile()).toEqual({ "app-x": "SourceDeleted" });
    expect(variables(workload)).toEqual(["STAKATER_APP_X_CONFIGMAP"]);
    expect(values(workload)).not.toEqual(before);
  });
});

function variables(workload: PlannedWorkload): readonly string[] {
  return envOf(workload).map(({ name }) => name);
}

function values(workload: PlannedWorkload): readonly (string | undefined)[] {
  return envOf(workload).map(({ value }) => value);
}

function envOf(workload: PlannedWorkload) {
  return parsePodTemplate(workload.template).spec.containers.flatMap(({ env }) => env);
}
