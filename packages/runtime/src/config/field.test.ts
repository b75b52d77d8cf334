import { expect, test } from "vitest";
import { inGroup } from "./field.ts";
import { textValue } from "./types.ts";

const field = (flag: string) => ({ flag, placeholder: "TEXT", description: "" });
const fields = inGroup("Worker", {
  plain: { schema: textValue(""), meta: field("two-Words") },
  named: { schema: textValue("x"), meta: { ...field("cluster"), env: "CLUSTERS", isOnce: true } },
});

test("a field of a group has that group, and the variable of its flag", () => {
  expect(fields.plain.meta).toEqual({
    ...field("two-Words"),
    group: "Worker",
    env: "FLEET_RELOADER_TWO_WORDS",
  });
});

test("a field of a group keeps its schema and a variable of its own", () => {
  expect(fields.named.meta).toMatchObject({ group: "Worker", env: "CLUSTERS", isOnce: true });
  expect(fields.named.schema.parse(undefined)).toBe("x");
});
