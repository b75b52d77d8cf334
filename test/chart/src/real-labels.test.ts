import { describe, expect, test } from "vitest";
import { refusal, rendered } from "./helm.ts";
import { at, type Manifest } from "./manifest.ts";

const name = "app.kubernetes.io/name";
const hub = { mode: "hub", redis: { url: "redis://redis" }, hub: { dashboard: { enabled: true } } };

function deployments(objects: readonly Manifest[]): readonly Manifest[] {
  return objects.filter(({ kind }) => kind === "Deployment");
}

/** An API server refuses a Deployment whose pods its own selector does not find. */
describe("the selector of a Deployment finds its pods", () => {
  test.each([
    ["the name", { matchLabels: { [name]: "ours" } }],
    ["all that the peer and we set", { matchLabels: { [name]: "ours", app: "b", release: "c" } }],
    [
      "its instance, as a template",
      { matchLabels: { "app.kubernetes.io/instance": "x-{{ .Release.Name }}" } },
    ],
    ["labels of the pods that differ", { matchLabels: { team: "a" }, deployment: { labels: { team: "b" } } }],
    ["labels of the pods like ours", { deployment: { labels: { app: "b", [name]: "ours" } } }],
  ])("with %s", async (_, reloader) => {
    for (const fleetReloader of [{}, hub]) {
      const found = deployments(await rendered({ values: { reloader, fleetReloader } }));
      expect(found.length).toBeGreaterThan(0);
      for (const { spec } of found)
        expect(at(spec, "template", "metadata", "labels")).toMatchObject(
          Object(at(spec, "selector", "matchLabels")),
        );
    }
  });

  test("and people's labels win over ours, as with the peer", async () => {
    const matchLabels = { [name]: "ours" };
    const objects = await rendered({ values: { reloader: { matchLabels } } });
    for (const { spec, metadata } of deployments(objects)) {
      expect(metadata.labels).toMatchObject(matchLabels);
      expect(at(spec, "selector", "matchLabels")).toEqual({
        ...{ app: "reloader-reloader", release: "reloader" },
        ...matchLabels,
      });
    }
  });
});

test("a label of one's own like ours is there once, in every object", async () => {
  const labels = { [name]: "ours", app: "b" };
  const reloader = { rbac: { labels }, service: { labels }, serviceAccount: { labels } };
  const matchLabels = { "app.kubernetes.io/component": "x" };
  const audit = { enabled: true, serverSecret: "tls", tokenSecret: "tokens" };
  // A key that is there twice is refused when it is read.
  const values = { reloader: { ...reloader, matchLabels }, fleetReloader: { audit } };
  for (const { kind, metadata } of await rendered({ values }))
    if (kind === "ServiceAccount" || kind.includes("Role")) expect(metadata.labels).toMatchObject(labels);
});

test("labels and annotations of a ServiceAccount are templates, as with the peer", async () => {
  const template = "arn:aws:iam::1:role/{{ .Release.Name }}-{{ .Release.Namespace }}";
  const serviceAccount = { annotations: { role: template }, labels: { release: "{{ .Release.Name }}" } };
  for (const fleetReloader of [{}, hub])
    for (const { kind, metadata } of await rendered({
      values: { reloader: { serviceAccount }, fleetReloader },
    }))
      if (kind === "ServiceAccount") {
        expect(at(metadata, "annotations")).toEqual({ role: "arn:aws:iam::1:role/reloader-tools" });
        expect(metadata.labels).toMatchObject({ release: "reloader" });
      }
});

test("what tells the Deployments of a hub apart is refused as a common label", async () => {
  const reloader = { matchLabels: { "app.kubernetes.io/component": "x" } };
  const message = await refusal({ reloader, fleetReloader: hub });
  expect(message).toContain("reloader.matchLabels holds app.kubernetes.io/component");
  expect(message).toContain("give it another name");
});
