import { describe, expect, test } from "vitest";
import {
  appliedFields,
  changedFields,
  difference,
  fieldsOf,
  intersection,
  pathsOf,
  union,
} from "./field-set.ts";

const object = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "ignored", uid: "ignored", annotations: { a: "1" } },
  spec: { containers: [{ name: "c", image: "i", env: [{ name: "E", value: "1" }] }] },
};

describe("field set", () => {
  test("writes fields as the server does", () => {
    expect(fieldsOf(object)).toEqual({
      "f:metadata": { "f:annotations": { ".": {}, "f:a": {} } },
      "f:spec": {
        "f:containers": {
          'k:{"name":"c"}': {
            ".": {},
            "f:name": {},
            "f:image": {},
            "f:env": { ".": {}, 'k:{"name":"E"}': { ".": {}, "f:name": {}, "f:value": {} } },
          },
        },
      },
    });
  });

  test("an applier owns what it names, not the maps around it", () => {
    expect(appliedFields({ data: { a: "1" }, metadata: { labels: {} } })).toEqual({
      "f:data": { "f:a": {} },
      "f:metadata": { "f:labels": {} },
    });
  });

  test("finds what changed and nothing else", () => {
    const after = { ...object, metadata: { ...object.metadata, annotations: { a: "1", b: "2" } } };
    expect(changedFields(object, after)).toEqual({ "f:metadata": { "f:annotations": { "f:b": {} } } });
    expect(changedFields(object, structuredClone(object))).toEqual({});
  });

  test("joins, subtracts and intersects", () => {
    const left = { "f:data": { ".": {}, "f:a": {}, "f:b": {} } };
    const right = { "f:data": { "f:b": {}, "f:c": {} } };
    expect(union(left, right)).toEqual({ "f:data": { ".": {}, "f:a": {}, "f:b": {}, "f:c": {} } });
    expect(difference(left, right)).toEqual({ "f:data": { ".": {}, "f:a": {} } });
    expect(intersection(left, right)).toEqual({ "f:data": { "f:b": {} } });
    // A map that is owned without its members is written as an empty node.
    expect(difference(left, { "f:data": { "f:a": {}, "f:b": {} } })).toEqual({ "f:data": {} });
    expect(difference(left, left)).toEqual({});
  });

  test("names paths for people", () => {
    expect(pathsOf({ "f:spec": { "f:containers": { 'k:{"name":"c"}': { "f:image": {} } } } })).toEqual([
      '.spec.containers[name="c"].image',
    ]);
  });
});
