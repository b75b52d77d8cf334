import { canary, kubeconfigOf } from "@fleet-reloader/testkit/beds/credentials";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { expect, test } from "vitest";
import { targetOf } from "../fixture/targets-of.ts";
import { Announcer } from "./announced.ts";
import type { Access, ClusterProvider, Registration } from "./registration.ts";

const target = targetOf(kubeconfigOf({ a: {} }));
const usable = (version: string): Access => ({ type: "usable", target, version });
const unusable = (why: string): Access => ({ type: "unusable", why });
const registered = (name: string, access: Access, labels: Registration["labels"] = {}): Registration => ({
  ...{ id: `test#${name}`, name, labels, access },
});

/** Providers that report what the test says. */
function announce(kinds: readonly string[] = ["test"]) {
  const log = new CollectedLog();
  const meter = new CountingMeter();
  const announcer = new Announcer(log, meter);
  const told: (readonly Registration[])[] = [];
  const tells = kinds.map((kind) => {
    let tell: (registrations: readonly Registration[]) => void = () => undefined;
    const provider: ClusterProvider = {
      async run(_signal, onChange) {
        tell = onChange;
      },
      notReady: [],
    };
    void announcer.announced(kind, provider).run(new AbortController().signal, (all) => told.push(all));
    return tell;
  });
  const [first = () => undefined, second = () => undefined] = tells;
  return { log, meter, announcer, told, first, second };
}

test("what is reported again is no news; what did not change stays the same object", () => {
  const { told, first } = announce();
  first([registered("a", usable("1"), { x: "1", y: "2" }), registered("b", usable("1"))]);
  first([registered("a", usable("1"), { y: "2", x: "1" }), registered("b", usable("1"))]);
  expect(told.length).toBe(1);
  first([registered("a", usable("1"), { x: "1", y: "2" }), registered("b", usable("2"))]);
  expect(told.length).toBe(2);
  expect(told[1]?.[0]).toBe(told[0]?.[0]);
  expect(told[1]?.[1]).not.toBe(told[0]?.[1]);
  first([registered("a", usable("1"), { x: "1", y: "2" })]);
  first([registered("a", usable("1"), { x: "2" })]);
  first([]);
  expect(told.map((all) => all.length)).toEqual([2, 2, 1, 1, 0]);
});

test("that there is nothing is told once", () => {
  const { told, first } = announce();
  first([]);
  first([]);
  expect(told).toEqual([[]]);
});

test("each change is said once, with its reason, and no credential", () => {
  const { log, first } = announce();
  first([registered("a", usable("1")), registered("b", unusable("Secret x/b: it has no key value"))]);
  first([registered("a", usable("2")), registered("b", unusable("Secret x/b: it has no key value"))]);
  first([registered("a", { type: "paused", why: "Secret x/a: skipped" }), registered("b", usable("1"))]);
  first([registered("b", usable("1"))]);
  expect(log.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    "info: cluster registered",
    "warn: registration cannot be used",
    "info: address or credentials of a cluster changed",
    "info: registration is paused",
    "info: registration can be used",
    "info: cluster is no longer registered",
  ]);
  expect(log.lines[1]?.fields).toMatchObject({
    ...{ cluster: "b", reason: "RegistrationUnusable", why: "Secret x/b: it has no key value" },
  });
  expect(log.text).not.toContain(canary);
});

test("providers of a kind are counted together, and what is not used is noted", () => {
  const { meter, announcer, first, second } = announce(["directory", "directory"]);
  first([registered("a", usable("1")), registered("b", unusable("file b: it is no YAML"))]);
  second([registered("c", usable("1")), registered("d", { type: "paused", why: "it is skipped" })]);
  expect(meter.sentences.map((sentence) => [sentence, meter.count(sentence)])).toEqual([
    ["registrations directory paused", 1],
    ["registrations directory unusable", 1],
    ["registrations directory usable", 2],
  ]);
  expect(announcer.notes).toEqual([
    "cluster b is unusable: file b: it is no YAML",
    "cluster d is paused: it is skipped",
  ]);
});
