import { expect, test } from "vitest";
import { mapBounded } from "./map-bounded.ts";

/** Work that ends when the test says so. */
function openWork() {
  const begun: { readonly item: number; readonly answer: PromiseWithResolvers<string> }[] = [];
  const work = (item: number): Promise<string> => {
    const answer = Promise.withResolvers<string>();
    begun.push({ item, answer });
    return answer.promise;
  };
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { begun, work, turn };
}

test("at most so many items are under way, and the results keep the order", async () => {
  const { begun, work, turn } = openWork();
  const mapped = mapBounded([1, 2, 3], 2, work);
  await turn();
  expect(begun.map(({ item }) => item)).toEqual([1, 2]);
  begun[1]?.answer.resolve("b");
  await turn();
  expect(begun.map(({ item }) => item)).toEqual([1, 2, 3]);
  begun[2]?.answer.resolve("c");
  begun[0]?.answer.resolve("a");
  expect(await mapped).toEqual(["a", "b", "c"]);
});

test("after a failure no further item begins", async () => {
  const { begun, work, turn } = openWork();
  const mapped = mapBounded([1, 2, 3, 4], 2, work);
  await turn();
  begun[0]?.answer.reject(new Error("first"));
  await expect(mapped).rejects.toThrow("first");
  begun[1]?.answer.resolve("b");
  await turn();
  expect(begun.map(({ item }) => item)).toEqual([1, 2]);
});

test("no items are no work", async () => {
  expect(await mapBounded([], 4, async () => "unused")).toEqual([]);
});
