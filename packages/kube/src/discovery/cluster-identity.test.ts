import { expect, test } from "vitest";
import { connectTo } from "../fixture/answering-server.ts";
import { identify, isStandIn } from "./cluster-identity.ts";

async function identified(status: number, body: object): Promise<string> {
  await using world = await connectTo((_request, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  return await identify(world.connection, new AbortController().signal);
}

test("a cluster is the UID of its kube-system", async () => {
  expect(await identified(200, { metadata: { uid: "u1" } })).toBe("u1");
});

test.each([
  ["may not be read", 403, { kind: "Status", reason: "Forbidden" }],
  ["does not exist", 404, { kind: "Status", reason: "NotFound" }],
])("where it %s the address stands for it", async (_what, status, body) => {
  expect(isStandIn(await identified(status, body))).toBe(true);
});

test.each([
  ["404", 404, { type: "error", status: "404", message: "cluster not found" }],
  ["200", 200, { status: "ok" }],
])("a %s of a proxy identifies no cluster", async (_what, status, body) => {
  await expect(identified(status, body)).rejects.toMatchObject({ code: "kube.malformed" });
});
