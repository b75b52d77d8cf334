import type { SourceRef } from "@fleet-reloader/domain/source/source";
import { createSourceFreezes } from "@fleet-reloader/engine/admission/source-freezes";
import { expect, test } from "vitest";
import { ManualClock } from "../../memory/manual-clock.ts";

const app: SourceRef = { kind: "ConfigMap", namespace: "ns", name: "app" };
const forever = new AbortController().signal;
const unfrozen = {};
const frozen = { "fleet-reloader.io/freeze": "true" };

/** One source, which rolls ask about that were decided on a read of it so long ago. */
function setUp() {
  const clock = new ManualClock();
  const source = { annotations: unfrozen, reads: 0 };
  const api = {
    cluster: "a",
    async readSourceAnnotations() {
      source.reads += 1;
      return source.annotations;
    },
  };
  const whole: { readAtMs: number | undefined } = { readAtMs: undefined };
  const freezes = createSourceFreezes({ clock, lastRead: () => whole.readAtMs, lifetime: forever });
  const askAfter = (ms: number) =>
    freezes({ api, sources: [app], readAtMs: clock.monotonic() - ms, signal: forever })();
  return { askAfter, clock, source, whole };
}

test("a source that was read a moment ago is not read again", async () => {
  const { askAfter, source } = setUp();
  expect(await askAfter(100)).toBe("go");
  expect(source.reads).toBe(0);
});

test("a thousand rolls of one source share its reads, one in a tenth of a second", async () => {
  const { askAfter, clock, source } = setUp();
  for (let roll = 0; roll < 1000; roll += 1) {
    expect(await askAfter(101)).toBe("go");
    await clock.advance(1);
  }
  expect(source.reads).toBe(10);
});

test("a freeze stops the first write that is made a tenth of a second after it", async () => {
  const { askAfter, clock, source } = setUp();
  expect(await askAfter(101)).toBe("go");
  source.annotations = frozen;
  await clock.advance(101);
  expect(await askAfter(101)).toBe("hold");
  expect(await askAfter(101)).toBe("hold");
});

test("the end of a freeze frees the very next write", async () => {
  const { askAfter, source } = setUp();
  source.annotations = frozen;
  expect(await askAfter(101)).toBe("hold");
  source.annotations = unfrozen;
  expect(await askAfter(101)).toBe("go");
});

test("a read of the whole source for another roll counts for a tenth of a second", async () => {
  const { askAfter, clock, source, whole } = setUp();
  await clock.advance(1000);
  whole.readAtMs = clock.monotonic() - 100;
  source.annotations = frozen;
  expect(await askAfter(101)).toBe("go");
  expect(source.reads).toBe(0);
  await clock.advance(1);
  expect(await askAfter(101)).toBe("hold");
});
