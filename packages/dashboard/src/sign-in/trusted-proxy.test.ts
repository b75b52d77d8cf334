import { PassThrough } from "node:stream";
import { TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { createTrustedProxy } from "./trusted-proxy.ts";

test("a connection without a certificate is no proxy's, whatever Node calls it", () => {
  const proxied = createTrustedProxy({ names: ["*"], userHeader: "x-user", groupsHeader: "x-groups" });
  // Some versions of Node 24 report this for a resumed session of TLS 1.3 that began without a certificate: nodejs/node#35317.
  const socket = Object.assign(new TLSSocket(new PassThrough()), { authorized: true });
  expect(proxied({ headers: { "x-user": "ann" }, socket })).toBeUndefined();
  socket.destroy();
});
