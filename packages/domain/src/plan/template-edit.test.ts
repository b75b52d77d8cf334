import { describe, expect, test } from "vitest";
import { PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";
import { applyEdit } from "../strategy/apply-edit.ts";
import type { ReloadStrategy } from "../strategy/reload-strategy.ts";
import { parsePodTemplate } from "../workload/pod-template.ts";
import { templateEdit } from "./template-edit.ts";

function editOf(workload: PlannedWorkload, strategy: ReloadStrategy) {
  const planned = workload.plan();
  if (planned.type !== "roll") throw new Error("nothing to roll");
  const context = { keys: workload.keys, nowSeconds: workload.now };
  return { planned, edit: templateEdit(planned, strategy, parsePodTemplate(workload.template), context) };
}

function changed(template: unknown, ...names: readonly string[]): PlannedWorkload {
  const workload = new PlannedWorkload(template);
  for (const name of ["app-x", "app.x", "db"]) workload.set("ConfigMap", name, { a: "1" });
  workload.reconcile();
  for (const name of names) workload.set("ConfigMap", name, { a: "2" });
  return workload;
}

const template = templateUsing({ "app-x": {}, "app.x": {}, db: {} });

describe("a roll is written", () => {
  test("as one annotation for all sources, and the peer's for the newest", () => {
    const { planned, edit } = editOf(changed(template, "db"), "annotations");
    expect(edit).toEqual({
      annotations: {
        "fleet-reloader.io/mark": planned.mark,
        "reloader.stakater.com/last-reloaded-from": expect.stringContaining('"name":"db"'),
      },
    });
  });

  test("as the variable of each source that changed, and of no other", () => {
    const { planned, edit } = editOf(changed(template, "db"), "env-vars");
    const [db] = planned.changed;
    expect(edit).toEqual({ env: [{ container: "main", name: "STAKATER_DB_CONFIGMAP", value: db?.mark }] });
  });

  // `app-x` and `app.x` share one variable. If its value came from the changed one only, each would overwrite it in turn.
  test("as a variable made of both sources that share it, whichever of them changed", () => {
    const names = (workload: PlannedWorkload) => editOf(workload, "env-vars").edit.env;
    const both = names(changed(template, "app-x", "app.x"));
    const first = changed(template, "app-x");
    expect(names(first)).toHaveLength(1);
    first.strategy = "env-vars";
    first.reconcile();
    first.set("ConfigMap", "app.x", { a: "2" });
    expect(names(first)).toEqual(both);
  });

  // `kubectl rollout undo` brings the old variable back, but its pods read the new content. Then the content is undone too.
  test("so that it rolls also where a rollback restored the variable of this content", () => {
    const workload = changed(template, "db");
    workload.strategy = "env-vars";
    workload.reconcile();
    const before = workload.template;
    workload.set("ConfigMap", "db", { a: "3" });
    workload.reconcile();
    workload.edit(before);
    expect(workload.reconcile()).toEqual({});
    workload.set("ConfigMap", "db", { a: "2" });
    expect(applyEdit(workload.template, editOf(workload, "env-vars").edit)).not.toEqual(workload.template);
  });

  test("as annotations where there is no container to hold a variable", () => {
    const workload = changed({ spec: { volumes: [{ name: "v", configMap: { name: "db" } }] } }, "db");
    expect(editOf(workload, "env-vars").edit.annotations).toBeDefined();
  });

  test("as annotations where the container that would hold the variable has no name", () => {
    const nameless = { spec: { containers: [{ image: "i", envFrom: [{ configMapRef: { name: "db" } }] }] } };
    const { edit } = editOf(changed(nameless, "db"), "env-vars");
    expect(edit).toEqual({
      annotations: expect.objectContaining({ "fleet-reloader.io/mark": expect.any(String) }),
    });
  });
});
