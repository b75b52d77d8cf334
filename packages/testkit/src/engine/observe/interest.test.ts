import { compileForTest } from "@fleet-reloader/domain/fixture/compile-pattern";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import {
  type Interest,
  indexEntry,
  isInterested,
  namesMatching,
  readInterest,
  windowOf,
} from "@fleet-reloader/engine/observe/interest";
import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import { withTemplateOf } from "@fleet-reloader/engine/observe/template-owner";
import { describe, expect, test } from "vitest";
import { auto, createTestBed } from "../../beds/test-bed.ts";

const { cluster, clock, settings } = createTestBed();
const matches = new NameMatches({ compile: compileForTest, clock });

async function interestOf(annotations: Readonly<Record<string, string>>, autoReloadAll = false) {
  const uses = { app: {}, "app-2": {}, tls: { kind: "Secret" as const } };
  const ref = cluster.setWorkload(`w${cluster.writes.length}`, {
    template: templateUsing(uses),
    annotations,
  });
  const workload = cluster.workload(ref);
  if (workload === undefined) throw new Error("it was just made");
  const interest = await readInterest(workload, { ...settings, autoReloadAll }, matches);
  return { interest, entry: indexEntry(workload, interest), candidates: interest.candidates.map(sourceKey) };
}

async function namesIn(interest: Interest, listed: readonly string[]): Promise<readonly string[]> {
  return [...(await namesMatching(interest, "ConfigMap", { listed, names: matches })).keys()];
}

const named = "configmap.reloader.stakater.com/reload";

describe("what a workload is interested in", () => {
  test("is nothing unless it asks, so that it costs nothing", async () => {
    expect(isInterested((await interestOf({})).interest)).toBe(false);
    expect(isInterested((await interestOf({ "reloader.stakater.com/auto": "false" }, true)).interest)).toBe(
      false,
    );
  });

  test("is all it references when it asks for all, or when a flag asks for all", async () => {
    const all = ["ConfigMap/ns/app", "ConfigMap/ns/app-2", "Secret/ns/tls"];
    expect((await interestOf(auto)).candidates).toEqual(all);
    expect((await interestOf({}, true)).candidates).toEqual(all);
  });

  test("is one kind when it asks for that", async () => {
    expect((await interestOf({ "secret.reloader.stakater.com/auto": "true" })).candidates).toEqual([
      "Secret/ns/tls",
    ]);
  });

  test("is told with the object that it refers to for its template", async () => {
    const [web, template] = ["web", "web-template"].map((name) =>
      cluster.workload(cluster.setWorkload(name, {})),
    );
    if (web === undefined || template === undefined) throw new Error("they were just made");
    const referring = withTemplateOf(web, template);
    const interest = await readInterest(referring, settings, matches);
    expect(indexEntry(referring, interest).templateOwner).toEqual(template.ref);
    expect(indexEntry(web, interest)).not.toHaveProperty("templateOwner");
  });

  test("is what it names, referenced or not, and no more", async () => {
    expect((await interestOf({ [named]: "app, other" })).candidates).toEqual([
      "ConfigMap/ns/app",
      "ConfigMap/ns/other",
    ]);
  });

  // Whether a source carries the match annotation is only known when it is read.
  test("is all it references when it searches", async () => {
    expect((await interestOf({ "reloader.stakater.com/search": "true" })).candidates).toHaveLength(3);
  });

  test("is never what it excludes", async () => {
    const exclude = { "configmaps.exclude.reloader.stakater.com/reload": "app,other" };
    const { interest, candidates } = await interestOf({ ...auto, ...exclude, [named]: "other,x.*" });
    expect(candidates).toEqual(["ConfigMap/ns/app-2", "Secret/ns/tls"]);
    expect(await namesIn(interest, ["x1", "other", "app"])).toEqual(["x1"]);
  });

  test("is every name of a pattern, which the index has to know", async () => {
    const { interest, entry } = await interestOf({ [named]: "tenant-.*,app" });
    expect(await namesIn(interest, ["tenant-1", "app", "b"])).toEqual(["tenant-1", "app"]);
    expect(entry).toMatchObject({
      sources: ["ConfigMap/ns/app"],
      patterns: [{ kind: "ConfigMap", item: "tenant-.*" }],
      scope: "",
      window: {},
    });
  });
});

describe("the window in force", () => {
  test("is the workload's own where it sets one", async () => {
    const own = { "fleet-reloader.io/debounce": "5s", "fleet-reloader.io/max-wait": "1m" };
    const { entry } = await interestOf({ ...auto, ...own });
    expect(windowOf(entry.window, settings)).toEqual({ quietPeriodMs: 5000, maxWaitMs: 60_000 });
    expect(windowOf({}, settings)).toEqual(settings.debounce);
  });

  test("never waits less in all than it does for quiet", async () => {
    expect(windowOf({ quietPeriodMs: 60_000 }, settings)).toEqual({
      quietPeriodMs: 60_000,
      maxWaitMs: 60_000,
    });
  });
});
