import { expect, test } from "vitest";
import { addressText, addressUrl } from "./socket-address.ts";

test.each([
  ["127.0.0.1", "127.0.0.1:9090", "http://127.0.0.1:9090"],
  ["hub.example", "hub.example:9090", "http://hub.example:9090"],
  ["::1", "[::1]:9090", "http://[::1]:9090"],
  ["", ":9090", "http://localhost:9090"],
])("the host %j is written as people write it, and in a URL", (host, text, url) => {
  expect(addressText({ host, port: 9090 })).toBe(text);
  expect(addressUrl("http", { host, port: 9090 })).toBe(url);
});
