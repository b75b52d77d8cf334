import fc from "fast-check";
import { expect, test } from "vitest";
import { base64 } from "./base64.ts";

test("bytes are encoded as everywhere else", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(new TextDecoder().decode(base64(bytes))).toBe(Buffer.from(bytes).toString("base64"));
    }),
  );
});
