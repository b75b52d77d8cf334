import fc from "fast-check";
import { expect, test } from "vitest";
import { testKeyring } from "../fixture/test-keys.ts";
import type { AppliedSource } from "./applied-source.ts";
import { type AppliedState, formatAppliedState, parseAppliedState } from "./applied-state.ts";
import type { EarlierContent } from "./earlier-content.ts";

const ring = testKeyring("k1");

const digest = fc.string({ minLength: 1, maxLength: 22 });
const keyId = fc.constantFrom("k1", "k2", "a.b_c-d");
const keys = fc.oneof(fc.constant("all" as const), fc.array(fc.string({ maxLength: 5 }), { maxLength: 4 }));
const earlier: fc.Arbitrary<EarlierContent> = fc.record(
  {
    digest: fc.option(digest, { nil: undefined }),
    keyId,
    keys,
    untilSeconds: fc.nat(),
    rolledAgain: fc.nat(),
  },
  { requiredKeys: ["digest", "keyId", "keys", "untilSeconds"] },
);
const source: fc.Arbitrary<AppliedSource> = fc.oneof(
  fc.constant({ type: "absent" as const }),
  fc.record(
    {
      type: fc.constant("present" as const),
      digest: digest.filter((text) => text !== "-"),
      keyId,
      keys,
      asOfSeconds: fc.nat(),
      isSetAside: fc.constant(true as const),
      goneAfterSeconds: fc.nat(),
      earlier: fc.array(earlier, { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ["type", "digest", "keyId", "keys"] },
  ),
);
const name = fc.oneof(
  fc.constantFrom("ConfigMap/123", "Secret/a.b", "ConfigMap/__proto__", "ConfigMap/constructor"),
  fc.string({ minLength: 1, maxLength: 8 }),
);
const applied: fc.Arbitrary<AppliedState> = fc.record({
  keyId,
  uid: fc.option(digest, { nil: undefined }),
  count: fc.nat(),
  served: fc.option(fc.record({ as: digest, sinceSeconds: fc.nat() }), { nil: undefined }),
  sources: fc.array(fc.tuple(name, source), { maxLength: 6 }).map((entries) => new Map(entries)),
  template: fc.option(
    fc.record(
      { digest, togetherUntilSeconds: fc.nat(), isDuringRollout: fc.constant(true as const) },
      { requiredKeys: ["digest", "togetherUntilSeconds"] },
    ),
    { nil: undefined },
  ),
  patterns: fc.array(name, { maxLength: 3 }).map((texts) => texts.sort()),
});

test("every applied state reads back as it was written", () => {
  fc.assert(
    fc.property(applied, (state) => {
      expect(parseAppliedState(formatAppliedState(state, ring), ring)).toEqual(state);
    }),
  );
});

test("an applied state that is read and written again is the same text", () => {
  fc.assert(
    fc.property(applied, (state) => {
      const text = formatAppliedState(state, ring);
      expect(formatAppliedState(parseAppliedState(text, ring) ?? state, ring)).toBe(text);
    }),
  );
});

// Anybody who may edit the workload may write this annotation.
test("no text whatever makes reading an applied state throw", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        applied.map((one) => formatAppliedState(one, ring)),
      ),
      fc.nat(),
      (text, cut) => {
        parseAppliedState(text, ring);
        parseAppliedState(text.slice(0, cut), ring);
      },
    ),
  );
});
