import { defaultDialect } from "@fleet-reloader/domain/annotation/dialect";
import { parseLabelSelector } from "@fleet-reloader/domain/workload/label-selector";
import { defaultSettings } from "@fleet-reloader/engine/ports/settings";
import { expect, test } from "vitest";
import { missingRights, type Part, type Right, rightsFor } from "./rights.ts";

const tellingSettings = {
  ...defaultSettings,
  workloadKinds: [],
  dialect: defaultDialect,
  autoReloadAll: false,
  strategy: "annotations",
  debounce: { quietPeriodMs: 0, maxWaitMs: 0 },
} as const;

test.each<[readonly Part[], readonly string[]]>([
  // A webhook is called: nothing is rolled, and a worker alone does nothing.
  [
    ["watcher", "teller"],
    ["get", "list", "watch"],
  ],
  [
    ["lister", "teller"],
    ["get", "list"],
  ],
  [["watcher"], ["list", "watch"]],
  [[], []],
])("%j without kinds of workloads needs %j on sources alone", (parts, verbs) => {
  const rights = rightsFor(parts, tellingSettings, undefined);
  const on = (resource: string) => verbs.map((verb) => ({ verb, group: "", resource, namespace: undefined }));
  expect(rights).toEqual([...on("configmaps"), ...on("secrets")]);
});

// The chart grants a watcher of a hub no more on namespaces.
test.each<[readonly Part[], readonly string[]]>([
  [
    ["watcher", "teller"],
    ["list", "watch"],
  ],
  [["worker"], ["get"]],
])("%j needs %j on namespaces that are selected by labels", (parts, verbs) => {
  const namespaceSelector = parseLabelSelector("reload=yes");
  if ("problem" in namespaceSelector) throw new Error(namespaceSelector.problem);
  const scope = { ...defaultSettings.scope, namespaceSelector };
  const rights = rightsFor(parts, { ...tellingSettings, scope }, undefined);
  const onNamespaces = rights.filter(({ resource }) => resource === "namespaces");
  expect(onNamespaces.map(({ verb }) => verb)).toEqual(verbs);
});

// 26 rights in each of a hundred namespaces would take minutes one after the other.
test("rights are asked for four at a time; missing ones are reported in order", async () => {
  const rights = Array.from(
    { length: 26 },
    (_, at): Right => ({ verb: "get", group: "", resource: `things${at}`, namespace: "ns" }),
  );
  let atOnce = 0;
  let mostAtOnce = 0;
  const connection = {
    async call({ body = "" }: { readonly body?: string }) {
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      await new Promise((resolve) => setTimeout(resolve, 5 * Math.random()));
      atOnce -= 1;
      return { status: 201, body: { status: { allowed: !/things(3|25|7)"/.test(body) } } };
    },
  };
  const missing = await missingRights(connection, rights, new AbortController().signal);
  expect(missing.map((line) => /things\d+/.exec(line)?.[0])).toEqual(["things3", "things7", "things25"]);
  expect(mostAtOnce).toBe(4);
});
