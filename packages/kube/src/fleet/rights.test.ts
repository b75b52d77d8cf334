import { expect, test } from "vitest";
import { missingRights, type Right } from "./rights.ts";

// 26 for each of a hundred namespaces: one after the other they take minutes.
test("rights are asked for four at a time; missing ones are reported in order", async () => {
  const rights = Array.from(
    { length: 26 },
    (_, at): Right => ({ verb: "get", group: "", resource: `things${at}`, namespace: "ns" }),
  );
  let atOnce = 0;
  let mostAtOnce = 0;
  const connection = {
    async call({ body = "" }: { readonly body?: string }) {
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      await new Promise((resolve) => setTimeout(resolve, 5 * Math.random()));
      atOnce -= 1;
      return { status: 201, body: { status: { allowed: !/things(3|25|7)"/.test(body) } } };
    },
  };
  const missing = await missingRights(connection, rights, new AbortController().signal);
  expect(missing.map((line) => /things\d+/.exec(line)?.[0])).toEqual(["things3", "things7", "things25"]);
  expect(mostAtOnce).toBe(4);
});
