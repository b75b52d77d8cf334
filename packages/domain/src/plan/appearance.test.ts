import { describe, expect, test } from "vitest";
import { PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";
import { jsonField } from "../json.ts";
import { parsePodTemplate } from "../workload/pod-template.ts";

const both = { reloadOnCreate: true, reloadOnDelete: true };
const onCreate = { reloadOnCreate: true, reloadOnDelete: false };
const onDelete = { reloadOnCreate: false, reloadOnDelete: true };
const neither = { reloadOnCreate: false, reloadOnDelete: false };

/** Adopted with `app` there, or missing, by a product that follows these rules. */
function adopted(rules: PlannedWorkload["rules"], app?: Readonly<Record<string, string>>): PlannedWorkload {
  const workload = new PlannedWorkload(templateUsing({ app: {} }));
  workload.rules = rules;
  if (app !== undefined) workload.set("ConfigMap", "app", app);
  workload.now += 100;
  expect(workload.reconcile()).toEqual({});
  workload.now += 100;
  return workload;
}

describe("a source that appears", () => {
  test.each([
    ["with the flag, though the pods need it", both, { app: "SourceCreated" }],
    ["not without it", onDelete, {}],
  ] as const)("rolls %s", (_, rules, expected) => {
    const workload = adopted(rules);
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual(expected);
    workload.now += 100;
    expect(workload.reconcile()).toEqual({});
  });

  test("rolls although it is only named", () => {
    const workload = new PlannedWorkload(templateUsing({}));
    workload.rules = onCreate;
    workload.name("Secret", "key");
    workload.reconcile();
    workload.now += 100;
    workload.set("Secret", "key", { a: "1" });
    expect(workload.reconcile()).toEqual({ key: "SourceCreated" });
  });

  test("is a late optional reference where it is one, with or without the flag", () => {
    for (const rules of [onCreate, neither]) {
      const workload = new PlannedWorkload(templateUsing({ app: { optional: true } }));
      workload.rules = rules;
      workload.reconcile();
      workload.now += 100;
      workload.set("ConfigMap", "app", { a: "1" });
      expect(workload.reconcile()).toEqual({ app: "LateOptionalReference" });
    }
  });

  test("rolls nothing when it was applied with the workload, which was seen first", () => {
    const workload = new PlannedWorkload(templateUsing({ app: {} }));
    workload.rules = onCreate;
    workload.reconcile();
    workload.now += 1;
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual({});
  });

  /** Named or optional, so that pods start without it; made this long after the template, with pods that started then. */
  function madeAfter(seconds: number, startedAt: number | undefined, isNoted: boolean, rules = onCreate) {
    const workload = new PlannedWorkload(templateUsing({ maybe: { optional: true } }));
    workload.rules = rules;
    // Its first event is that of its creation.
    workload.seen = { atSeconds: workload.now };
    workload.name("ConfigMap", "named");
    if (isNoted) workload.reconcile();
    // As `podsStart` tells it: the clock of a node may be two seconds off.
    if (startedAt !== undefined) {
      const at = workload.now + startedAt;
      workload.podsStart = { notBefore: Math.max(workload.now, at - 2), notAfter: at + 2 };
    }
    workload.now += seconds;
    for (const name of ["named", "maybe"]) workload.set("ConfigMap", name, { a: "1" });
    return workload.reconcile();
  }

  test.each([
    ["noted as missing", true],
    ["not looked at before", false],
  ])("rolls a second after its template when pods run already, %s", (_, isNoted) => {
    const both = { named: "SourceCreated", maybe: "SourceCreated" };
    expect(madeAfter(1, 0, isNoted)).toEqual(both);
    expect(madeAfter(1, 1, isNoted)).toEqual(both);
  });

  test("rolls two seconds after its template when pods run already, not looked at before", () => {
    expect(madeAfter(2, 1, false)).toMatchObject({ named: "SourceCreated" });
  });

  test.each([
    ["when the pods start later", madeAfter(1, 2, true)],
    ["when nobody knows whether pods run", madeAfter(1, undefined, true)],
    ["in the second of its template", madeAfter(0, 0, true)],
    ["without the flag", madeAfter(1, 0, true, onDelete)],
  ])("rolls nothing that soon %s", (_, rolled) => {
    expect(rolled).toEqual({});
  });

  test("rolls nothing when the template was made anew after it", () => {
    const workload = adopted(onCreate);
    workload.set("ConfigMap", "app", { a: "1" });
    workload.now += 10;
    workload.edit(templateUsing({ app: {} }, "app:2"));
    expect(workload.reconcile()).toEqual({});
  });

  // A roll of ours looks at everything first: what appears in the same second is late.
  test("rolls also in the very second of a roll for another source", () => {
    const workload = new PlannedWorkload(templateUsing({ app: {}, db: {} }));
    workload.rules = onCreate;
    workload.set("ConfigMap", "db", { a: "1" });
    workload.reconcile();
    workload.now += 100;
    workload.set("ConfigMap", "db", { a: "2" });
    expect(workload.reconcile()).toEqual({ db: "SourceChanged" });
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual({ app: "SourceCreated" });
  });

  test("rolls when a name pattern was looked up before and it matches", () => {
    const workload = new PlannedWorkload(templateUsing({}));
    workload.rules = onCreate;
    workload.nameAll("ConfigMap", "tenant-");
    workload.set("ConfigMap", "tenant-1", { a: "1" });
    expect(workload.reconcile()).toEqual({});
    workload.now += 100;
    workload.set("ConfigMap", "tenant-2", { a: "1" });
    expect(workload.reconcile()).toEqual({ "tenant-2": "SourceCreated" });
    expect(workload.reconcile()).toEqual({});
  });

  test("rolls nothing when the pattern is new, however late the source was made", () => {
    const workload = new PlannedWorkload(templateUsing({ app: {} }));
    workload.rules = onCreate;
    workload.reconcile();
    workload.now += 100;
    workload.set("ConfigMap", "tenant-1", { a: "1" });
    workload.nameAll("ConfigMap", "tenant-");
    expect(workload.reconcile()).toEqual({});
  });
});

describe("a source that goes", () => {
  test.each([
    ["with the flag", onDelete, { app: "SourceDeleted" }],
    ["not without it", onCreate, {}],
  ] as const)("rolls %s", (_, rules, expected) => {
    const workload = adopted(rules, { a: "1" });
    workload.remove("ConfigMap", "app");
    expect(workload.reconcile()).toEqual(expected);
    expect(workload.reconcile()).toEqual({});
  });

  test("and is back with the same content before anybody looked is no change", () => {
    const workload = adopted(both, { a: "1" });
    workload.remove("ConfigMap", "app");
    workload.now += 1;
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual({});
  });

  test("and comes back after the roll rolls again", () => {
    const workload = adopted(both, { a: "1" });
    workload.remove("ConfigMap", "app");
    expect(workload.reconcile()).toEqual({ app: "SourceDeleted" });
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual({ app: "SourceCreated" });
  });

  test("rolls also where a pattern found it, and leaves no trace in the applied state", () => {
    const workload = new PlannedWorkload(templateUsing({}));
    workload.rules = both;
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
    const workload = adopted(onDelete, { a: "1" });
    workload.remove("ConfigMap", "app");
    workload.reconcile();
    const { annotations } = parsePodTemplate(workload.template).metadata;
    const text = annotations["reloader.stakater.com/last-reloaded-from"] ?? "";
    expect(JSON.parse(text)).toMatchObject({ type: "CONFIGMAP", name: "app", hash: markerHash });
  });

  test("by taking its variable away, and no other", () => {
    const workload = new PlannedWorkload(templateUsing({ app: {}, db: {} }));
    workload.rules = both;
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

  // The peer does not roll then. The pods carry what is gone all the same.
  test("as an annotation where there never was a variable", () => {
    const workload = adopted(onDelete, { a: "1" });
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

describe("a source that is not seen", () => {
  test("neither rolls nor changes its applied state, and counts again by its content", () => {
    const workload = adopted(both, { a: "1" });
    const { appliedText } = workload;
    workload.loseSight("ConfigMap", "app");
    expect(workload.reconcile()).toEqual({});
    expect(workload.appliedText).toBe(appliedText);
    workload.showAll();
    expect(workload.reconcile()).toEqual({});
    workload.loseSight("ConfigMap", "app");
    workload.set("ConfigMap", "app", { a: "2" });
    expect(workload.reconcile()).toEqual({});
    workload.showAll();
    expect(workload.reconcile()).toEqual({ app: "SourceChanged" });
  });

  test("is recorded without a roll when it shows for the first time", () => {
    const workload = new PlannedWorkload(templateUsing({ app: {} }));
    workload.rules = both;
    workload.loseSight("ConfigMap", "app");
    workload.reconcile();
    workload.now += 100;
    workload.showAll();
    workload.set("ConfigMap", "app", { a: "1" });
    expect(workload.reconcile()).toEqual({});
  });
});

describe("a content that several objects show", () => {
  function shown(): PlannedWorkload {
    const workload = new PlannedWorkload(templateUsing({}));
    workload.name("SecretProviderClass", "vault");
    workload.show("SecretProviderClass", "vault", { key: "v1" }, 50);
    workload.reconcile();
    return workload;
  }

  test("rolls once when the newest shows another", () => {
    const workload = shown();
    workload.show("SecretProviderClass", "vault", { key: "v2" }, 60);
    expect(workload.reconcile()).toEqual({ vault: "SourceChanged" });
    workload.show("SecretProviderClass", "vault", { key: "v2" }, 70);
    expect(workload.reconcile()).toEqual({});
  });

  // The pod that was ahead has gone; those that are left have not followed yet.
  test("does not change back when the newest is gone and an older one is left", () => {
    const workload = shown();
    workload.show("SecretProviderClass", "vault", { key: "v2" }, 60);
    workload.reconcile();
    const { appliedText } = workload;
    workload.show("SecretProviderClass", "vault", { key: "v1" }, 50);
    expect(workload.reconcile()).toEqual({});
    expect(workload.appliedText).toBe(appliedText);
    workload.show("SecretProviderClass", "vault", { key: "v1" }, 80);
    expect(workload.reconcile()).toEqual({ vault: "SourceChanged" });
  });

  test("is recorded once however often new pods show the same", () => {
    const workload = shown();
    const { appliedText } = workload;
    workload.show("SecretProviderClass", "vault", { key: "v1" }, 90);
    workload.reconcile();
    expect(workload.appliedText).toBe(appliedText);
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
