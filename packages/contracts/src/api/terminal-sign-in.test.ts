import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isTerminalChallenge, terminalCheckOf } from "./terminal-sign-in.ts";

test("every SHA-256 in base64url is a challenge, and its check is its first four bytes", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const digest = createHash("sha256").update(text).digest();
      const challenge = digest.toString("base64url");
      const [first, second] = [digest.subarray(0, 2), digest.subarray(2, 4)];
      const hex = (bytes: Buffer) => bytes.toString("hex").toUpperCase();
      expect(isTerminalChallenge(challenge)).toBe(true);
      expect(terminalCheckOf(challenge)).toBe(`${hex(first)}-${hex(second)}`);
    }),
  );
});

test.each(["", "a", "a".repeat(42), "a".repeat(44), `${"a".repeat(42)}+`, `${"a".repeat(42)} `])(
  "%j is no challenge",
  (text) => {
    expect(isTerminalChallenge(text)).toBe(false);
  },
);
