import { type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import { expect, test } from "vitest";
import { FrozenObjects } from "../admission/frozen-objects.ts";
import type { SourceVersion } from "../ports/reference-index.ts";
import { keyPrefix, noteFrozen } from "./frozen-watch.ts";

const ref = (namespace: string, name: string): SourceRef => ({ kind: "Secret", namespace, name });
const plain = (namespace: string, name: string): SourceVersion => ({
  ref: ref(namespace, name),
  resourceVersion: "1",
});
const frozen = (namespace: string, name: string): SourceVersion => ({
  ...plain(namespace, name),
  isFrozen: true,
});

/** A stream over one namespace, or all. It counts what reaches the handler behind it. */
function startStream(objects = new FrozenObjects(), namespace?: string) {
  const passed: string[] = [];
  const stream = noteFrozen<SourceVersion>(
    {
      listBegins: () => void passed.push("begins"),
      page: async (page) => void passed.push(`page of ${page.length}`),
      listed: async () => void passed.push("listed"),
      events: async (events) => void passed.push(`${events.length} events`),
    },
    {
      frozen: objects,
      keyOf: (source) => sourceKey(source.ref),
      isFrozen: (source) => source.isFrozen === true,
      prefix: keyPrefix("Secret", namespace),
    },
  );
  return { objects, stream, passed, of: (key: string) => objects.isFrozen(key) };
}

test("what a list shows as frozen is frozen until an event shows it otherwise", async () => {
  const { of, passed, stream } = startStream();
  stream.listBegins();
  await stream.page([frozen("shop", "db"), plain("shop", "mail")]);
  await stream.listed();
  expect([of("Secret/shop/db"), of("Secret/shop/mail")]).toEqual([true, undefined]);
  await stream.events([{ type: "upsert", object: plain("shop", "db") }]);
  expect(of("Secret/shop/db")).toBe(false);
  await stream.events([{ type: "upsert", object: frozen("shop", "db") }]);
  expect(of("Secret/shop/db")).toBe(true);
  expect(passed).toEqual(["begins", "page of 2", "listed", "1 events", "1 events"]);
});

test("what is deleted, and what the next list does not show, is frozen no more", async () => {
  const { of, stream } = startStream();
  stream.listBegins();
  await stream.page([frozen("shop", "db"), frozen("shop", "mail")]);
  await stream.listed();
  await stream.events([{ type: "delete", object: frozen("shop", "mail") }]);
  expect(of("Secret/shop/mail")).toBe(false);
  stream.listBegins();
  expect(of("Secret/shop/db")).toBe(true);
  await stream.listed();
  expect(of("Secret/shop/db")).toBe(false);
});

test("the list of one namespace says nothing of another", async () => {
  const objects = new FrozenObjects();
  objects.set("Secret/shop-2/db", true);
  objects.set("ConfigMap/shop/app", true);
  const { of, stream } = startStream(objects, "shop");
  stream.listBegins();
  await stream.listed();
  expect([of("Secret/shop-2/db"), of("ConfigMap/shop/app")]).toEqual([true, true]);
});

test("only a change counts as one", async () => {
  const { objects, stream } = startStream();
  await stream.events([{ type: "upsert", object: plain("shop", "db") }]);
  expect(objects.version).toBe(0);
  await stream.events([{ type: "upsert", object: frozen("shop", "db") }]);
  await stream.events([{ type: "upsert", object: frozen("shop", "db") }]);
  expect(objects.version).toBe(1);
});
