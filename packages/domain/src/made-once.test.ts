import { expect, test } from "vitest";
import { madeOnce } from "./made-once.ts";

test("a value is made once for each object, also one that is undefined", () => {
  const asked: object[] = [];
  const numberIn = madeOnce((of: { readonly value?: number }) => {
    asked.push(of);
    return of.value;
  });
  const [one, same, none] = [{ value: 1 }, { value: 1 }, {}];
  expect([one, one, same, none, none].map(numberIn)).toEqual([1, 1, 1, undefined, undefined]);
  expect(asked).toEqual([one, same, none]);
});
