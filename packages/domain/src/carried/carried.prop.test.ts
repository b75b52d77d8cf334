import fc from "fast-check";
import { expect, test } from "vitest";
import { testKeyring } from "../fixture/test-keys.ts";
import { type Carried, formatCarried, parseCarried } from "./carried.ts";
import type { CarriedSource } from "./carried-source.ts";

const ring = testKeyring("k1");

const digest = fc.string({ minLength: 1, maxLength: 22 });
const keyId = fc.constantFrom("k1", "k2", "a.b_c-d");
const keys = fc.oneof(fc.constant("all" as const), fc.array(fc.string({ maxLength: 5 }), { maxLength: 4 }));
const source: fc.Arbitrary<CarriedSource> = fc.oneof(
  fc.constant({ type: "absent" as const }),
  fc.record(
    {
      type: fc.constant("present" as const),
      digest: digest.filter((text) => text !== "-"),
      keyId,
      keys,
      asOfSeconds: fc.nat(),
    },
    { requiredKeys: ["type", "digest", "keyId", "keys"] },
  ),
);
const name = fc.oneof(
  fc.constantFrom("ConfigMap/123", "Secret/a.b", "ConfigMap/__proto__", "ConfigMap/constructor"),
  fc.string({ minLength: 1, maxLength: 8 }),
);
const carried: fc.Arbitrary<Carried> = fc.record({
  keyId,
  uid: fc.option(digest, { nil: undefined }),
  count: fc.nat(),
  served: fc.option(fc.record({ as: digest, sinceSeconds: fc.nat() }), { nil: undefined }),
  sources: fc.array(fc.tuple(name, source), { maxLength: 6 }).map((entries) => new Map(entries)),
  template: fc.option(fc.record({ digest, togetherUntilSeconds: fc.nat() }), { nil: undefined }),
  patterns: fc.array(name, { maxLength: 3 }).map((texts) => texts.sort()),
});

test("every note reads back as it was written", () => {
  fc.assert(
    fc.property(carried, (note) => {
      expect(parseCarried(formatCarried(note, ring), ring)).toEqual(note);
    }),
  );
});

test("a note that was read and is written again is the same text, so that it is no write", () => {
  fc.assert(
    fc.property(carried, (note) => {
      const text = formatCarried(note, ring);
      expect(formatCarried(parseCarried(text, ring) ?? note, ring)).toBe(text);
    }),
  );
});

// Anybody who may edit the workload may write this annotation.
test("no text whatever makes reading a note throw", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        carried.map((one) => formatCarried(one, ring)),
      ),
      fc.nat(),
      (text, cut) => {
        parseCarried(text, ring);
        parseCarried(text.slice(0, cut), ring);
      },
    ),
  );
});
