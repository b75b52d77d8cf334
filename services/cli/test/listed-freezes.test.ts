import { expect, test } from "vitest";
import { listFreezes } from "../src/freeze/freeze.ts";

function documentOf(name: string, text: string | undefined) {
  return { name, text: async () => text, write: async () => undefined };
}

test("a document without an entry freezes nothing", async () => {
  const listed = await listFreezes([documentOf("ConfigMap tools/freezes", "[]\n")], { freezeFile: "" });
  expect(listed).toBe("ConfigMap tools/freezes: nothing is frozen\n");
});

// The runbook sends people here while the workers hold everything because the document is gone.
test.each([
  ["ConfigMap tools/freezes", "nothing is frozen if it never was there, and everything if it was"],
  ["/data/freezes.yaml", "everything is frozen where --freeze-file names it"],
])("of %s that is not there the meaning is told", async (name, meaning) => {
  const listed = await listFreezes([documentOf(name, undefined)], { freezeFile: "/data/freezes.yaml" });
  expect(listed).toContain(`${name}: it is not there`);
  expect(listed).toContain(meaning);
});
