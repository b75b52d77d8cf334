import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { chart, type Rendering, rendered, template } from "./helm.ts";

const folder = mkdtempSync(join(tmpdir(), "fr-umbrella-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A chart of somebody else that depends on ours, by this alias, with these values. */
function umbrella(alias: string | undefined, values: object): Rendering {
  const of = mkdtempSync(join(folder, "chart-"));
  mkdirSync(join(of, "charts"));
  cpSync(chart, join(of, "charts/fleet-reloader"), { recursive: true });
  const dependency = { name: "fleet-reloader", version: ">=0.0.0-0", alias };
  const about = { apiVersion: "v2", name: "umbrella", version: "1.0.0", dependencies: [dependency] };
  writeFileSync(join(of, "Chart.yaml"), stringify(about));
  return { of, values, isWithoutImage: true };
}

describe("a chart that depended on Stakater Reloader's", () => {
  const reloader = { watchGlobally: false, reloadStrategy: "env-vars" };

  test("keeps its values by an alias", async () => {
    const image = { repository: "fleet-reloader" };
    const manifests = await rendered(umbrella("reloader", { reloader: { image, reloader } }));
    expect(manifests.map(({ kind }) => kind)).not.toContain("ClusterRole");
    expect(JSON.stringify(manifests)).toContain("--reload-strategy=env-vars");
  });

  test("is told of the alias where it has none", async () => {
    const { code, errors } = await template(umbrella(undefined, { reloader: { reloader } }));
    expect(code).not.toBe(0);
    expect(errors).toContain("image.repository is empty");
    expect(errors).toContain("a dependency called fleet-reloader: give it alias: reloader");
  });
});
