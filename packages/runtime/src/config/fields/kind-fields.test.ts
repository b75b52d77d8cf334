import { describe, expect, test } from "vitest";
import { refusal } from "../../fixture/refusal.ts";
import { loadConfig } from "../load.ts";
import { kindFields, servedKinds } from "./kind-fields.ts";

const load = (...args: readonly string[]) => loadConfig(kindFields, { args, env: {} });
const served = (...args: readonly string[]) => servedKinds(load(...args)).map(({ kind }) => kind);
const problem = (...args: readonly string[]) => refusal(() => load(...args));

describe("kinds that are served", () => {
  test("without a word: all but Rollouts", () => {
    expect(served()).toEqual([
      "Deployment",
      "CronJob",
      "Job",
      "DaemonSet",
      "StatefulSet",
      "DeploymentConfig",
    ]);
  });

  test.each([
    ["--is-Argo-Rollouts=true", true],
    ["--is-argo-rollouts=true", true],
    ["--is-Argo-Rollouts=True", false],
    ["--is-Argo-Rollouts=1", false],
    ["--is-Argo-Rollouts=false", false],
  ])("%s: Rollouts %s", (flag, isServed) => {
    expect(served(flag).includes("Rollout")).toBe(isServed);
  });

  test("what nearly asks for Rollouts is remarked on", () => {
    const { remark } = kindFields.isArgoRollouts.meta;
    const remarkOn = (text: string) => remark?.(text, () => "");
    expect(["true", "false"].map(remarkOn)).toEqual([undefined, undefined]);
    expect(remarkOn("True")).toContain("write true or false");
  });

  test.each([
    ["jobs", ["Job"]],
    [" cronjobs , jobs ", ["CronJob", "Job"]],
  ])("--ignored-workload-types=%s leaves them out", (types, ignored) => {
    const all = served();
    expect(all.filter((kind) => !served(`--ignored-workload-types=${types}`).includes(kind))).toEqual(
      ignored,
    );
  });

  test("a type that cannot be ignored is named", () => {
    expect(problem("--ignored-workload-types=jobs,deployments")).toBe(
      '--ignored-workload-types jobs,deployments: "deployments" cannot be ignored; write jobs, cronjobs or both',
    );
  });
});

describe("declared kinds", () => {
  test("are read with their path, and with their plural where it is given", () => {
    const flag =
      "--workload-kinds=serving.knative.dev/v1/Service=spec.template,apps.kruise.io/v1alpha1/CloneSet:clonesets=spec.template";
    expect(load(flag).workloadKinds).toMatchObject([
      {
        kind: "Service.serving.knative.dev",
        apiKind: "Service",
        group: "serving.knative.dev",
        version: "v1",
        plural: undefined,
        templatePath: ["spec", "template"],
        patch: "merge",
        isOptional: true,
      },
      { kind: "CloneSet.apps.kruise.io", plural: "clonesets" },
    ]);
    expect(served(flag).slice(-2)).toEqual(["Service.serving.knative.dev", "CloneSet.apps.kruise.io"]);
  });

  test.each([
    ["Service", "is no kind; write group/version/Kind[:plural]=path"],
    ["serving.knative.dev/v1/Service", "is no kind"],
    ["v1/Pod=spec", "is no kind"],
    ["Serving.dev/v1/Service=spec.template", 'the group "Serving.dev"'],
    ["serving.dev/1/Service=spec.template", 'the version "1"'],
    ["serving.dev/v1/services=spec.template", 'the kind "services"'],
    ["serving.dev/v1/Service:Services=spec.template", 'the plural "Services"'],
    ["serving.dev/v1/Service=spec..template", 'the path "spec..template"'],
    ["serving.dev/v1/Service=spec.items[0]", 'the path "spec.items[0]"'],
    ["serving.dev/v1/Service=metadata.template", "no part of metadata or status"],
    ["apps/v1/Deployment=spec.template", "Deployment is served without being declared"],
    ["argoproj.io/v1alpha1/Rollout=spec.template", "--is-Argo-Rollouts=true"],
    ["a.dev/v1/B=spec.template,a.dev/v2/B=spec.template", "B is declared twice"],
  ])("%s is refused: %s", (declared, why) => {
    expect(problem(`--workload-kinds=${declared}`)).toContain(why);
  });
});

test("what is left alone is not, when that is asked for", () => {
  expect(load()).toMatchObject({ reloadSuspended: false, reloadFinished: false, reloadConcurrent: false });
  expect(load("--reload-suspended", "--reload-finished", "--reload-concurrent")).toMatchObject({
    reloadSuspended: true,
    reloadFinished: true,
    reloadConcurrent: true,
  });
});
