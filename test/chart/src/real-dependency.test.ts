import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { chart } from "./helm.ts";
import { parseManifests } from "./manifest.ts";
import { ensureTool } from "./tools/go-tool.ts";
import { run } from "./tools/run.ts";

const folder = mkdtempSync(join(tmpdir(), "fr-umbrella-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A chart of somebody else that depends on ours, under this name, with these values. */
async function umbrella(dependency: object, values: object) {
  const parent = mkdtempSync(join(folder, "chart-"));
  mkdirSync(join(parent, "charts"));
  cpSync(chart, join(parent, "charts/fleet-reloader"), { recursive: true });
  const dependencies = [{ name: "fleet-reloader", version: ">=0.0.0-0", ...dependency }];
  writeFileSync(
    join(parent, "Chart.yaml"),
    stringify({ apiVersion: "v2", name: "umbrella", version: "1.0.0", dependencies }),
  );
  const args = ["template", "security", parent, "--namespace", "tools", "--values", "-"];
  return await run(await ensureTool("helm"), args, { input: stringify(values) });
}

/** As in the parent of Stakater Reloader's chart. */
const values = { reloader: { watchGlobally: false, reloadStrategy: "env-vars" } };

describe("a chart that depended on Stakater Reloader's", () => {
  test("keeps its values by an alias", async () => {
    const { code, output, errors } = await umbrella(
      { alias: "reloader" },
      { reloader: { image: { repository: "fleet-reloader" }, ...values } },
    );
    expect(code, errors).toBe(0);
    expect(parseManifests(output).map(({ kind }) => kind)).not.toContain("ClusterRole");
    expect(output).toContain("--reload-strategy=env-vars");
  });

  test("is told of the alias where it has none", async () => {
    const { code, errors } = await umbrella({}, { reloader: values });
    expect(code).not.toBe(0);
    expect(errors).toContain("image.repository is empty");
    expect(errors).toContain("a dependency called fleet-reloader: give it alias: reloader");
  });
});
