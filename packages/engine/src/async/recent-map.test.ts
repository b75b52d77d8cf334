import { expect, test } from "vitest";
import { RecentMap } from "./recent-map.ts";

test("drops the entry that was set longest ago", () => {
  const map = new RecentMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  map.set("c", 4);
  expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([3, undefined, 4]);
  map.delete("a");
  map.set("d", 5);
  expect(["a", "c", "d"].map((key) => map.get(key))).toEqual([undefined, 4, 5]);
});
