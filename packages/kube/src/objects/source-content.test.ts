import { expect, test } from "vitest";
import { sourceContent } from "./source-content.ts";

const readable = (values: ReadonlyMap<string, Uint8Array>) =>
  Object.fromEntries([...values].map(([key, value]) => [key, Buffer.from(value).toString("utf8")]));

test("a ConfigMap is read as text and as binary data", () => {
  const content = sourceContent("ConfigMap", { data: { size: "größe" }, binaryData: { blob: "AAH/" } });
  expect(readable(content.data)).toEqual({ size: "größe" });
  expect([...(content.binaryData.get("blob") ?? [])]).toEqual([0, 1, 255]);
});

test("a Secret is decoded as a pod would see it", () => {
  const content = sourceContent("Secret", { data: { password: "aHVudGVyMg==" }, binaryData: { no: "AA==" } });
  expect(readable(content.data)).toEqual({ password: "hunter2" });
  expect(content.binaryData.size).toBe(0);
});

test("no data, null and empty data are the same", () => {
  for (const object of [{}, { data: null, binaryData: null }, { data: {}, binaryData: {} }, undefined]) {
    const content = sourceContent("ConfigMap", object);
    expect([content.data.size, content.binaryData.size]).toEqual([0, 0]);
  }
});

test("a key called __proto__ is just a key", () => {
  const content = sourceContent("ConfigMap", JSON.parse('{"data":{"__proto__":"value"}}'));
  expect([...content.data.keys()]).toEqual(["__proto__"]);
});
