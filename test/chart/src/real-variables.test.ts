import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chart, rendered } from "./helm.ts";
import { at, the } from "./manifest.ts";
import { containerOf } from "./rendered-container.ts";

const given = { NO: false, ZERO: 0, YES: true, TEXT: "x", NOTHING: "", NONE: null };
const wanted = { NO: "false", ZERO: "0", YES: "true", TEXT: "x" };

test("only variables without a value are left out: false and 0 are values", async () => {
  const values = { reloader: { deployment: { env: { open: given } } } };
  const env: unknown = at(containerOf(await rendered({ values })), "env");
  const ours = (Array.isArray(env) ? env : []).filter((each) => String(at(each, "name")) in given);
  expect(Object.fromEntries(ours.map((each) => [at(each, "name"), at(each, "value")]))).toEqual(wanted);
});

test("so are those of the Secret, and each variable finds its key there", async () => {
  const objects = await rendered({ values: { reloader: { deployment: { env: { secret: given } } } } });
  const data = Object.entries(Object(at(the(objects, "Secret"), "data")));
  const texts = data.map(([name, value]) => [name, Buffer.from(String(value), "base64").toString()]);
  expect(Object.fromEntries(texts)).toEqual(wanted);
  const env: unknown = at(containerOf(objects), "env");
  const keys = (Array.isArray(env) ? env : []).map((each) => at(each, "valueFrom", "secretKeyRef", "key"));
  expect(keys.filter((key) => key !== undefined).toSorted()).toEqual(Object.keys(wanted).toSorted());
});

/** A variable is read when a container starts. A new value alone changes no pod template. */
test("the command that brings new values of the Secret to the pods finds them all", async () => {
  const page = readFileSync(join(chart, "README.md"), "utf8");
  const row = page.split("\n").find((line) => line.startsWith("| `reloader.deployment.env.secret`"));
  expect(row).toContain("kubectl rollout restart deployment -l app=<full name>");
  const hub = { mode: "hub", redis: { url: "redis://redis" }, hub: { dashboard: { enabled: true } } };
  for (const values of [{}, { fleetReloader: hub }]) {
    const deployments = (await rendered({ values })).filter(({ kind }) => kind === "Deployment");
    for (const { metadata } of deployments) expect(metadata.labels?.app).toBe("reloader-reloader");
  }
});
