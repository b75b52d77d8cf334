import { formatLabelSelector } from "@fleet-reloader/domain/workload/label-selector";
import { describe, expect, test } from "vitest";
import { refusal } from "../../fixture/refusal.ts";
import { ruleFields } from "../fields.ts";
import { loadConfig } from "../load.ts";
import { remarkOn } from "../remarks.ts";
import { settingsOf } from "../settings-of.ts";

const settings = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  settingsOf(loadConfig(ruleFields, { args, env }));

const problemOf = (...args: readonly string[]) => refusal(() => settings(args));

describe("namespaces", () => {
  test("are all unless given as a list, one by one, or last by the variable", () => {
    const env = { KUBERNETES_NAMESPACE: "one" };
    expect(settings([]).scope.namespaces).toBeUndefined();
    expect(settings([], env).scope.namespaces).toEqual(["one"]);
    expect(settings(["--namespace", "two"], env).scope.namespaces).toEqual(["two"]);
    expect(settings(["--namespaces=a, b,a"], env).scope.namespaces).toEqual(["a", "b"]);
    expect(settings(["--namespaces", "a", "--namespaces", "b"]).scope.namespaces).toEqual(["a", "b"]);
  });

  test("that are ignored are exact names, trimmed", () => {
    expect(settings(["--namespaces-to-ignore=kube-system, b"]).scope.ignoredNamespaces).toEqual([
      "kube-system",
      "b",
    ]);
    expect(problemOf("--namespaces-to-ignore=kube-*")).toBe(
      '--namespaces-to-ignore kube-*: "kube-*" is no name of a namespace; write exact names, such as team-a,team-b',
    );
    expect(problemOf("--namespace=a,b")).toBe(
      "--namespace a,b: is no name of a namespace; write one exact name, or several with --namespaces",
    );
    expect(problemOf("--namespaces=A")).toContain('"A" is no name of a namespace');
  });
});

// As with the peer, which obeys these only in global mode.
describe("what restricts all namespaces, beside namespaces by name,", () => {
  const remarks = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const said: string[] = [];
    const say = (_fields: object, message: string) => void said.push(message);
    remarkOn(ruleFields, { args, env }, { warn: say });
    return said;
  };

  test("is remarked on", () => {
    const says = "has no effect together with --namespace or --namespaces; remove one of them";
    expect(remarks(["--namespaces=a", "--namespaces-to-ignore", "b", "--namespaces-to-ignore", "c"])).toEqual(
      [`--namespaces-to-ignore b --namespaces-to-ignore c: ${says}`],
    );
    expect(remarks(["--namespace-selector=env=prod"], { KUBERNETES_NAMESPACE: "a" })).toEqual([
      `--namespace-selector env=prod: ${says}`,
    ]);
  });

  test("is not remarked on where one of them is empty", () => {
    const env = { KUBERNETES_NAMESPACE: "" };
    expect(remarks(["--namespaces=", "--namespaces-to-ignore=b"], env)).toEqual([]);
    expect(remarks(["--namespaces=a", "--namespaces-to-ignore=", "--namespace-selector="])).toEqual([]);
  });
});

describe("a selector", () => {
  const selector = (...given: readonly string[]) => {
    const found = settings(given.map((text) => `--namespace-selector=${text}`)).scope.namespaceSelector;
    return found && formatLabelSelector(found);
  };

  test("is read as the peer reads it, with its legacy forms and its chart's quotes", () => {
    expect(selector()).toBeUndefined();
    expect(selector("a=b,c:d")).toBe("a=b,c=d");
    expect(selector('"team in (web, api)",x:*')).toBe("team in (api,web),x");
    expect(selector("a=b", "!c")).toBe("a=b,!c");
  });

  test("of sources is asked of the server in its own words", () => {
    expect(settings(["--resource-label-selector=reload:yes,x=*"]).scope.sourceSelector).toBe("reload=yes,x");
    expect(settings([]).scope.sourceSelector).toBeUndefined();
  });

  test.each(["--namespace-selector", "--resource-label-selector"])("that is none is refused: %s", (flag) => {
    expect(problemOf(`${flag}=a in b`)).toMatch(/^--\S+ a in b: "a in b" is no label requirement; write /);
    // Without quotes the comma of the set separates items, and the parts are joined again.
    expect(problemOf(`${flag}=a in (b, c)`)).toBe("");
  });
});

describe("kinds of sources", () => {
  test("are ConfigMaps and Secrets, less one, more the driver's", () => {
    expect(settings([]).sourceKinds).toEqual(["ConfigMap", "Secret"]);
    expect(settings(["--resources-to-ignore=configMaps"]).sourceKinds).toEqual(["Secret"]);
    expect(settings(["--resources-to-ignore", "secrets"]).sourceKinds).toEqual(["ConfigMap"]);
    expect(settings(["--enable-csi-integration"]).sourceKinds).toEqual([
      "ConfigMap",
      "Secret",
      "SecretProviderClass",
    ]);
  });

  test("cannot all be ignored, nor others than these", () => {
    expect(problemOf("--resources-to-ignore=secrets,configmaps")).toBe(
      "--resources-to-ignore secrets,configmaps: leaves nothing to watch; write configmaps or secrets, not both",
    );
    expect(problemOf("--resources-to-ignore=jobs")).toBe(
      "--resources-to-ignore jobs: must be configmaps or secrets",
    );
  });
});

describe.each([
  ["--reload-on-create", "reloadOnCreate"],
  ["--reload-on-delete", "reloadOnDelete"],
] as const)("%s", (flag, field) => {
  test("takes a value, and only true is true", () => {
    expect(settings([])[field]).toBe(false);
    expect(settings([flag, "true"])[field]).toBe(true);
    expect(settings([`${flag}=true`])[field]).toBe(true);
    expect(settings([`${flag}=false`])[field]).toBe(false);
    expect(problemOf(`${flag}=True`)).toBe(`${flag} True: must be one of true, false`);
  });
});
