import { expect, test } from "vitest";
import type { ClusterState } from "./cluster-status.ts";
import { eachClusterOnce } from "./each-cluster-once.ts";

const registered = (name: string, id?: string, state: ClusterState = "Ready") => ({
  ...{ name, status: { state, why: [] } },
  ...(id === undefined ? {} : { id }),
});
const namesOf = (all: readonly ReturnType<typeof registered>[]) =>
  eachClusterOnce(all).map(({ name }) => name);

test("a cluster that is registered twice is there once, as it is served", () => {
  const again = registered("nova-again", "uid-nova", "Alias");
  const nova = registered("nova", "uid-nova", "Degraded");
  const otech = registered("otech", "uid-otech");
  expect(namesOf([again, otech, nova])).toEqual(["otech", "nova"]);
  expect(namesOf([nova, again, otech])).toEqual(["nova", "otech"]);
  expect(namesOf([again, { ...again, name: "nova-third" }])).toEqual(["nova-again"]);
});

test("registrations that have not answered yet are all there", () => {
  expect(namesOf([registered("nova"), registered("otech")])).toEqual(["nova", "otech"]);
});
