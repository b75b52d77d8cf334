import { anythingKey } from "@fleet-reloader/domain/hint/hint";
import type { TakenHint } from "@fleet-reloader/engine/hints/hint-inbox";
import { expect, test } from "vitest";
import { HintedPlaces } from "./hinted-places.ts";

function startPlaces() {
  const places = new HintedPlaces();
  const settled: string[] = [];
  const hint = (key: string, number: number, at: TakenHint["at"]): void =>
    places.add({ key, number, at, settle: () => void settled.push(`${key}@${number}`) });
  return {
    places,
    settled,
    /** At an object of the namespace `shop`. */
    at: (name: string, number: number) =>
      hint(`/configmaps/shop/${name}`, number, { namespace: "shop", name }),
    /** A hint of another resource that is worth a read of the namespace. */
    beside: (name: string, number: number) =>
      hint(`apps/deployments/shop/${name}`, number, { namespace: "shop", name: "" }),
    anything: (number: number) => hint(anythingKey, number, undefined),
    settleAll() {
      for (const { settle } of places.takeAll()) settle();
      return settled;
    },
  };
}

test("of hints that are repeated while nothing is read the newest is kept and settled", () => {
  const bed = startPlaces();
  for (let number = 1; number <= 50_000; number += 1) bed.at("lock", number);
  const [place] = bed.places.take(8);
  expect(place?.hints).toHaveLength(1);
  // The read failed, and another hint arrived meanwhile.
  bed.at("lock", 50_001);
  for (const hint of place?.hints ?? []) bed.places.add(hint);
  expect(bed.settleAll()).toEqual(["/configmaps/shop/lock@50001"]);
});

test("hints at one place that are settled apart are all kept", () => {
  const bed = startPlaces();
  for (const name of ["a", "b", "a"]) bed.beside(name, 1 + bed.places.size);
  expect(bed.settleAll().map((one) => one.split("@")[0])).toEqual([
    "apps/deployments/shop/a",
    "apps/deployments/shop/b",
  ]);
});

test("a hint that anything may have changed stands for older ones, not for newer ones", () => {
  const bed = startPlaces();
  for (let number = 1; number <= 20_000; number += 1) bed.at(`pod-${number}`, number);
  bed.anything(20_001);
  bed.at("pod-1", 20_002);
  const taken = bed.places.takeAll();
  expect(taken.map(({ number }) => number)).toEqual([20_001, 20_002]);
  // The list failed.
  bed.at("pod-2", 20_003);
  for (const hint of taken) bed.places.add(hint);
  expect(bed.settleAll()).toEqual([
    "*@20001",
    "/configmaps/shop/pod-2@20003",
    "/configmaps/shop/pod-1@20002",
  ]);
});
