import { expect, test } from "vitest";
import type { ClusterState } from "./cluster-status.ts";
import { eachClusterOnce, servingNamesOf } from "./each-cluster-once.ts";

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

test("every name and the id of a cluster lead to the name that it is served under", () => {
  const all = [registered("nova-again", "uid-nova", "Alias"), registered("nova", "uid-nova")];
  for (const called of ["nova", "nova-again", "uid-nova"])
    expect(servingNamesOf(called, all)).toEqual(["nova"]);
  expect(servingNamesOf("elsewhere", all)).toEqual(["elsewhere"]);
});

test("a name that registrations of two clusters have leads to both", () => {
  const all = [
    registered("edge", "uid-nova", "Alias"),
    registered("nova", "uid-nova"),
    registered("edge", "uid-1"),
  ];
  expect(servingNamesOf("edge", all)).toEqual(["nova", "edge"]);
  expect(servingNamesOf("new", [registered("new")])).toEqual(["new"]);
});
