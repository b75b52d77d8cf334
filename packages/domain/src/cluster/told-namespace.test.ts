import { expect, test } from "vitest";
import { isToldOf, placeOfRight, streamName, untoldChanges } from "./told-namespace.ts";

const linesOf = (namespace: string | undefined) => [
  `no right to patch deployments.apps ${placeOfRight(namespace)}; grant it`,
  `${streamName("Deployment", namespace)} is backoff (answered 503)`,
];

test("a line that names a namespace is told to who sees it, and to nobody else", () => {
  for (const line of linesOf("shop")) {
    expect(isToldOf(line, (namespace) => namespace === "shop")).toBe(true);
    expect(isToldOf(line, (namespace) => namespace === "pay")).toBe(false);
  }
});

test("a line that names no namespace is told to everybody", () => {
  for (const line of [...linesOf(undefined), "answered 503"]) expect(isToldOf(line, () => false)).toBe(true);
});

test("changes of any namespaces are told to nobody who does not see all", () => {
  const line = untoldChanges(streamName("configmaps", "shop"), "1 change", "shop/app");
  expect(isToldOf(line, () => true)).toBe(false);
});
