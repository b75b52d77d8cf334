import { expect, test } from "vitest";
import { rendered } from "./helm.ts";
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
