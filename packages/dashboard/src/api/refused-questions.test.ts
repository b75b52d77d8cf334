import { expect, test } from "vitest";
import { startServedFleet } from "../fixture/served-fleet.ts";

test("every wrong parameter is refused with its value and what to write", async () => {
  await using served = await startServedFleet();
  const { body, status } = await served.ask("/api/v1/clusters?clustr=nova&cursor=a&cursor=b&limit=0");
  const parts = [
    {
      field: "clustr",
      value: "nova",
      problem: "clustr: is no parameter of this route",
      mend: "did you mean cluster?",
    },
    { field: "cursor", value: "a,b", problem: "cursor: it is given 2 times", mend: "write it once" },
    {
      field: "limit",
      value: "0",
      problem: "limit: must be a whole number from 1 to 1000",
      mend: "docs/reference/openapi.json says what each parameter may be",
    },
  ];
  expect(status).toBe(400);
  expect(JSON.parse(body)).toEqual({ code: "question.invalid", ...parts[0], parts });
});

test("of very many wrong parameters the first twenty are told", async () => {
  await using served = await startServedFleet();
  const query = Array.from({ length: 30 }, (_, at) => `other${at}=1`).join("&");
  const { body } = await served.ask(`/api/v1/clusters?${query}`);
  expect(JSON.parse(body).parts).toHaveLength(20);
});

test.each([
  ["GET", "/api/v1/statuss", "did you mean /api/v1/status?"],
  ["GET", "/api/v1/change/f1", "did you mean /api/v1/changes or /api/v1/changes/{change}?"],
  ["GET", "/api/v1/nothing", expect.stringMatching(/^the routes are /)],
  ["POST", "/api/v1/acts/retri", "did you mean /api/v1/acts/retry?"],
  ["POST", "/api/v1/acts/nothing", expect.stringMatching(/^the acts are /)],
])("the refusal of %s %s names the path that was meant", async (method, path, mend) => {
  await using served = await startServedFleet();
  const headers = { "content-type": "application/json" };
  const { body, status } = await served.ask(path, headers, method, method === "POST" ? "{}" : "");
  expect(status).toBe(404);
  expect(JSON.parse(body)).toMatchObject({ field: "path", mend });
});
