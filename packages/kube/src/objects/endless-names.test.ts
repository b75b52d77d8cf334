import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import { expect, test } from "vitest";
import { connectTo } from "../fixture/answering-server.ts";
import { createKubeClusterApi } from "./kube-cluster-api.ts";

const { signal } = new AbortController();

/** A namespace that always has another page. */
async function startEndless(names: readonly string[]) {
  let pages = 0;
  const items = names.map((name) => ({ metadata: { name } }));
  const world = await connectTo((_request, response) => {
    pages += 1;
    response.end(JSON.stringify({ metadata: { resourceVersion: "1", continue: `${pages}` }, items }));
  });
  return Object.assign(world, {
    api: createKubeClusterApi("c1", world.connection, knownKinds),
    pages: () => pages,
  });
}

test.each([
  ["many names", Array.from({ length: 20_000 }, (_, at) => `${at}`.padStart(250, "x")), 3],
  ["an endless name", ["x".repeat(9 * 1024 * 1024)], 2],
  ["no name", [], 257],
])("names of sources are not read without end, with %s on each page", async (_, names, pages) => {
  await using endless = await startEndless(names);
  await expect(endless.api.listSourceNames("Secret", "shop", signal)).rejects.toMatchObject({
    code: "kube.malformed",
    message: `${names.length * pages} Secrets were listed for the namespace shop, and there may be more: so many names are not read`,
  });
  expect(endless.pages()).toBe(pages);
});
