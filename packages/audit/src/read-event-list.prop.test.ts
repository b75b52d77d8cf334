import fc from "fast-check";
import { expect, test } from "vitest";
import { auditEvent, eventList, readWhole } from "./fixture/audit-events.ts";

const anyEvent = fc
  .dictionary(
    fc.constantFrom(...Object.keys(auditEvent()), "requestObject", "responseObject", "impersonatedUser"),
    fc.jsonValue(),
  )
  .map((change) => auditEvent(change));

test("whatever the bytes are, reading ends with a batch or a refusal", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(readWhole(Buffer.from(bytes))).toBeTypeOf("object");
    }),
  );
});

test("a body that is cut anywhere is refused", () => {
  const whole = eventList(auditEvent(), auditEvent({ verb: "create" }));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: whole.length - 1 }), (length) => {
      expect(readWhole(whole.subarray(0, length))).toEqual({ refused: "malformed" });
    }),
  );
});

test("fields of any type are read without a failure, and every event is counted", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 8 }), (events) => {
      const batch = readWhole(eventList(...events));
      expect(batch).toMatchObject({ events: events.length });
    }),
  );
});

test("the order and the number of deliveries of events do not change the hints", () => {
  const event = fc
    .record({
      name: fc.constantFrom("a", "b", ""),
      namespace: fc.constantFrom("x", "y"),
      verb: fc.constantFrom("create", "patch", "delete", "get"),
    })
    .map(({ name, namespace, verb }) =>
      auditEvent({ verb, objectRef: { resource: "secrets", namespace, name, apiVersion: "v1" } }),
    );
  fc.assert(
    fc.property(fc.array(event), fc.array(fc.nat()), (events, picks) => {
      const doubled = picks.flatMap((at) => events.slice(at % (events.length + 1)).slice(0, 1));
      const hintsOf = (list: readonly unknown[]) => {
        const batch = readWhole(eventList(...list));
        return "refused" in batch ? batch.refused : [...batch.hints].toSorted();
      };
      expect(hintsOf([...events, ...doubled].toReversed())).toEqual(hintsOf(events));
    }),
  );
});

test("nothing of an object in an event is in what is read", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^canary-[a-z0-9]{12}$/), fc.string(), (canary, key) => {
      const object = { data: { [key]: canary }, kind: canary };
      const event = auditEvent({
        requestObject: object,
        responseObject: { items: [object] },
        annotations: object,
      });
      const batch = readWhole(eventList(event));
      if ("refused" in batch) throw new Error(batch.refused);
      expect(JSON.stringify([[...batch.hints], batch.writes, [...batch.ignored]])).not.toContain(canary);
      expect(batch.withBody).toBe(1);
    }),
  );
});
