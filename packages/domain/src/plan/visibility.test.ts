import { describe, expect, test } from "vitest";
import { adoptedBy, onBoth } from "../fixture/adopted-by-rules.ts";
import { PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";

describe("a source that is not seen", () => {
  test("neither rolls nor changes its applied state, and counts again by its content", () => {
    const workload = adoptedBy(onBoth, { a: "1" });
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
    workload.rules = onBoth;
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

  // The pod with the newer content is gone, and the remaining pods are not updated yet.
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

  test("rolls nothing when each pod shows the content that it started with", () => {
    const workload = shown();
    workload.show("SecretProviderClass", "vault", { key: "v2" }, 60, false);
    expect(workload.reconcile()).toEqual({});
    workload.show("SecretProviderClass", "vault", { key: "v2" }, 70);
    expect(workload.reconcile()).toEqual({});
    workload.show("SecretProviderClass", "vault", { key: "v3" }, 80);
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
