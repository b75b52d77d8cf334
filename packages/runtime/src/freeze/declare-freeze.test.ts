import { expect, test } from "vitest";
import { declareFreeze, type LiftedFreeze, liftFreeze } from "./declare-freeze.ts";
import type { FreezeStore } from "./freeze-store.ts";

function documentOf(name: string, first?: string): FreezeStore {
  let text = first;
  return {
    name,
    text: async () => text,
    write: async (change) => {
      text = change(text);
    },
  };
}

const fleet = { fleet: true, reason: "incident 4711", by: "ann" } as const;

/** Both documents count: a freeze that stays in one of them would keep holding rolls after it was lifted. */
test("a freeze is lifted from every document that has it, and others stay", async () => {
  const inCluster = documentOf("ConfigMap tools/freezes", "- fleet: true\n- cluster: nova\n");
  const file = documentOf("/data/freezes.yaml", "- fleet: true\n- namespace: shop\n");
  const lifted: LiftedFreeze = await liftFreeze([inCluster, file], fleet);
  expect(lifted).toMatchObject({
    type: "lifted",
    places: "ConfigMap tools/freezes and /data/freezes.yaml",
    others: [{ cluster: "nova" }, { namespace: "shop" }],
  });
  expect(await inCluster.text()).toMatch(/^- cluster: nova\n/);
  expect(await file.text()).toMatch(/^- namespace: shop\n/);
});

test("a freeze that only the second document has is lifted there, and no other is made", async () => {
  const inCluster = documentOf("ConfigMap tools/freezes");
  const file = documentOf("/data/freezes.yaml");
  await declareFreeze(file, fleet);
  expect(await liftFreeze([inCluster, file], fleet)).toEqual({
    type: "lifted",
    places: "/data/freezes.yaml",
    others: [],
  });
  expect([await inCluster.text(), await file.text()]).toEqual([undefined, "[]\n"]);
});

test("of a freeze that no document has, the places and what is frozen there are named", async () => {
  const inCluster = documentOf("ConfigMap tools/freezes", "- cluster: nova\n");
  const file = documentOf("/data/freezes.yaml", "- namespace: shop\n");
  expect(await liftFreeze([inCluster, file], fleet)).toEqual({
    type: "absent",
    places: "ConfigMap tools/freezes or /data/freezes.yaml",
    frozen: ["cluster nova", "namespace shop"],
    gone: [],
  });
});

test("of a freeze that no document has, the documents that are not there are named", async () => {
  const inCluster = documentOf("ConfigMap tools/freezes");
  const file = documentOf("/data/freezes.yaml", "- namespace: shop\n");
  expect(await liftFreeze([inCluster, file], fleet)).toMatchObject({
    type: "absent",
    gone: ["ConfigMap tools/freezes"],
  });
});
