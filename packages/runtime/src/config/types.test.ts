import { describe, expect, test } from "vitest";
import { annotationKey, boolean, csvList, duration, listenAddress, oneOf } from "./types.ts";

describe("duration", () => {
  test.each([
    ["2s", 2000],
    ["1m30s", 90_000],
    ["500ms", 500],
    ["0", 0],
  ])("%s is %d ms", (text, ms) => {
    expect(duration("1s").parse(text)).toBe(ms);
  });

  test.each(["", "2", "soon", "-1s", "2 s"])("%j is none", (text) => {
    expect(duration("1s").safeParse(text).success).toBe(false);
  });
});

describe("listen address", () => {
  test.each([
    ["127.0.0.1:9090", "127.0.0.1", 9090],
    ["localhost:0", "localhost", 0],
    [":8080", "", 8080],
    ["0.0.0.0:8080", "0.0.0.0", 8080],
    ["[::1]:80", "::1", 80],
  ])("%s is host %s and port %d", (text, host, port) => {
    expect(listenAddress("a:1").parse(text)).toEqual({ host, port });
  });

  test.each(["", "8080", "host", "host:", "host:65536", "host:-1", "::1:80", "[host]:80", "a:1:2"])(
    "%j is none",
    (text) => {
      expect(listenAddress("a:1").safeParse(text).success).toBe(false);
    },
  );
});

test("a boolean is true or false in Go's spellings, and nothing else", () => {
  for (const text of ["1", "t", "T", "true", "TRUE", "True"]) expect(boolean(false).parse(text)).toBe(true);
  for (const text of ["0", "f", "F", "false", "FALSE"]) expect(boolean(true).parse(text)).toBe(false);
  for (const text of ["", "yes", "on", "2"]) expect(boolean(false).safeParse(text).success).toBe(false);
});

test("one of a closed list, and its default", () => {
  const level = oneOf(["low", "high"], "high");
  expect(level.parse(undefined)).toBe("high");
  expect(level.parse("low")).toBe("low");
  expect(level.safeParse("LOW").error?.issues.map(({ message }) => message)).toEqual([
    "must be one of low, high",
  ]);
});

describe("a list", () => {
  test.each([
    ["a,b", ["a", "b"]],
    [" a , b ", ["a", "b"]],
    ["a,,b,", ["a", "b"]],
    ["", []],
    ['"env in (a,b)"', ["env in (a,b)"]],
    ['x=1,"env in (a,b)", y', ["x=1", "env in (a,b)", "y"]],
    ['"say ""yes"""', ['say "yes"']],
    ['  "a,b"  ,c', ["a,b", "c"]],
    ["a,b\n", ["a", "b"]],
    ["a\r\nb", ["a", "b"]],
  ])("%j is %j", (text, items) => {
    expect(csvList().parse([text])).toEqual(items);
  });

  test("every occurrence adds to it, and none at all is an empty list", () => {
    expect(csvList().parse(["a,b", '"c,d"'])).toEqual(["a", "b", "c,d"]);
    expect(csvList().parse(undefined)).toEqual([]);
  });

  test.each(['"a', 'a"b', '"a"b', '"'])("%j has a quote out of place", (text) => {
    expect(csvList().safeParse(["fine", text]).error?.issues[0]?.message).toContain(
      "double quote out of place",
    );
  });
});

describe("the key of an annotation", () => {
  test.each([
    "reload",
    "acme.io/reload",
    "ACME.io/Re_load.v1",
    "a/b",
    `${"a".repeat(253)}/${"b".repeat(63)}`,
  ])("%s is one", (key) => {
    expect(annotationKey("a/b").parse(key)).toBe(key);
  });

  test.each([
    "",
    "/",
    "acme.io/",
    "/reload",
    "acme.io/re load",
    "acme..io/reload",
    "acme_io/reload",
    "a/b/c",
    "-reload",
    "reload-",
    "b".repeat(64),
    `${"a".repeat(254)}/b`,
  ])("%j is none", (key) => {
    expect(annotationKey("a/b").safeParse(key).error?.issues[0]?.message).toBe(
      "is no key of an annotation; write [prefix/]name, for example a/b",
    );
  });
});
