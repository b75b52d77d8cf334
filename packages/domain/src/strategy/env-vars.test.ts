import { expect, test } from "vitest";
import type { SourceKind } from "../source/source.ts";
import { parsePodTemplate } from "../workload/pod-template.ts";
import { envVarsEdit } from "./env-vars.ts";

const template = parsePodTemplate({
  spec: {
    containers: [
      {
        name: "main",
        env: [
          { name: "STAKATER_Z_SECRET", value: "1" },
          { name: "STAKATER_B_SECRET", value: "2" },
        ],
      },
      { name: "side", envFrom: [{ configMapRef: { name: "side" } }, { secretRef: { name: "a-b" } }] },
    ],
  },
});

function changed(kind: SourceKind, name: string, mode: "named" | "auto" = "named") {
  return { source: { kind, namespace: "ns", name }, mark: `mark-of-${name}`, mode } as const;
}

function edit(...sources: readonly ReturnType<typeof changed>[]) {
  const combine = (marks: readonly { readonly mark: string }[]) => marks.map(({ mark }) => mark).join("+");
  return envVarsEdit({ changed: sources, template, combine }).env;
}

test("each source sets its variable in its one container", () => {
  expect(edit(changed("ConfigMap", "side", "auto"), changed("Secret", "elsewhere"))).toEqual([
    { container: "main", name: "STAKATER_ELSEWHERE_SECRET", value: "mark-of-elsewhere" },
    { container: "side", name: "STAKATER_SIDE_CONFIGMAP", value: "mark-of-side" },
  ]);
});

test("variables that exist keep their order, new ones follow sorted", () => {
  const names = edit(
    changed("Secret", "y"),
    changed("Secret", "b"),
    changed("Secret", "c"),
    changed("Secret", "z"),
  )?.map(({ name }) => name);
  expect(names).toEqual(["STAKATER_Z_SECRET", "STAKATER_B_SECRET", "STAKATER_C_SECRET", "STAKATER_Y_SECRET"]);
});

test("sources with the same variable in a container share its value, in any order", () => {
  const shared = [{ container: "main", name: "STAKATER_X_Y_SECRET", value: "mark-of-x-y+mark-of-x.y" }];
  expect(edit(changed("Secret", "x-y"), changed("Secret", "x.y"))).toEqual(shared);
  expect(edit(changed("Secret", "x.y"), changed("Secret", "x-y"))).toEqual(shared);
});

test("sources that share a name but not a container share nothing", () => {
  expect(edit(changed("Secret", "a-b"), changed("Secret", "a.b"))).toEqual([
    { container: "main", name: "STAKATER_A_B_SECRET", value: "mark-of-a.b" },
    { container: "side", name: "STAKATER_A_B_SECRET", value: "mark-of-a-b" },
  ]);
});

test("a source without a container sets nothing", () => {
  expect(edit(changed("Secret", "unreferenced", "auto"))).toEqual([]);
});
