import { expect, test } from "vitest";
import { parseLastReloadedFrom } from "../compat/last-reloaded-from.ts";
import { catalystApi } from "../fixture/catalyst-api.ts";
import { parsePodTemplate } from "../workload/pod-template.ts";
import { annotationsEdit } from "./annotations.ts";

const template = parsePodTemplate(catalystApi.spec.template);
const secret = { kind: "Secret", namespace: "catalyst", name: "harbor-robot-token" } as const;
const configMap = { kind: "ConfigMap", namespace: "catalyst", name: "sovereign-fqdn" } as const;
const changed = [
  { source: secret, mark: "mark-of-secret", mode: "auto" },
  { source: configMap, mark: "mark-of-configmap", mode: "named" },
] as const;

test("the edit is the mark of all sources, and the newest in the peer's annotation", () => {
  const { annotations, env } = annotationsEdit({
    changed,
    mark: "mark-of-all",
    template,
    nowSeconds: 1_700_000_000.9,
  });
  expect(env).toBeUndefined();
  expect(annotations?.["fleet-reloader.io/mark"]).toBe("mark-of-all");
  expect(annotations?.["reloader.stakater.com/last-reloaded-from"]).toBe(
    '{"type":"CONFIGMAP","name":"sovereign-fqdn","namespace":"catalyst","hash":"mark-of-configmap",' +
      '"containerRefs":["catalyst-api"],"observedAt":1700000000}',
  );
});

test("nothing but the time makes the edit of the same marks another", () => {
  const at = (nowSeconds: number) =>
    annotationsEdit({ changed, mark: "m", template, nowSeconds }).annotations;
  expect(at(7)).toEqual(at(7));
  expect(at(7)?.["fleet-reloader.io/mark"]).toBe(at(8)?.["fleet-reloader.io/mark"]);
});

test("a template without containers gets annotations all the same", () => {
  const edit = annotationsEdit({ changed, mark: "m", template: parsePodTemplate({}), nowSeconds: 7 });
  const text = edit.annotations?.["reloader.stakater.com/last-reloaded-from"] ?? "";
  expect(parseLastReloadedFrom(text)).toMatchObject({ source: configMap, containerRefs: [] });
});

test("without a source to name, only the mark is set", () => {
  const edit = annotationsEdit({ changed: [], mark: "m", template, nowSeconds: 7 });
  expect(edit).toEqual({ annotations: { "fleet-reloader.io/mark": "m" } });
});
