import { describe, expect, test } from "vitest";
import { asFault, dispositions, Fault, faultCatalogue } from "./fault.ts";

describe("the catalogue of faults", () => {
  // The operator's page is generated from it.
  test.each(Object.entries(faultCatalogue))("says of %s what it means and how to mend it", (_, entry) => {
    const { meaning, mend } = entry;
    expect(meaning).toMatch(/^[A-Z].*\.$/);
    expect(mend).toMatch(/^[A-Z].*\.$/);
  });

  test("names each as area.specific", () => {
    for (const code of Object.keys(faultCatalogue)) expect(code).toMatch(/^[a-z]+\.[a-z]+(-[a-z]+)*$/);
  });
});

describe("what the queue does with a fault", () => {
  // An outage of another system must not use up the attempts of a request.
  test.each(["throttled", "denied", "unreachable", "aborted"] as const)(
    "of class %s is to wait without using up an attempt",
    (kind) => {
      expect(dispositions[kind]).toMatchObject({ queue: "delay" });
    },
  );

  test.each(["transient", "conflict", "invariant"] as const)(
    "of class %s is to try again, counted",
    (kind) => {
      expect(dispositions[kind]).toMatchObject({ queue: "retry" });
    },
  );

  // Somebody may fix a webhook that removes our edit, and nothing else triggers another try.
  test("that says that our write was rewritten is to try again, counted", () => {
    const { disposition } = new Fault("engine.write-rewritten", "a webhook removed it");
    expect(disposition).toMatchObject({ queue: "retry" });
  });

  test("that no repeat can cure is to drop the request and say so", () => {
    expect(dispositions.invalid).toMatchObject({ queue: "drop", level: "error" });
  });
});

describe("a thrown value as a fault", () => {
  test("is itself when it is one", () => {
    const fault = new Fault("kube.conflict", "moved", { context: { name: "app" }, retryAfterMs: 7 });
    expect(asFault(fault)).toBe(fault);
    expect(fault).toMatchObject({
      class: "conflict",
      context: { name: "app" },
      retryAfterMs: 7,
      name: "Fault",
    });
  });

  test("is a bug of ours when it is none, with the error behind it", () => {
    const error = new TypeError("x is undefined");
    expect(asFault(error)).toMatchObject({
      code: "engine.invariant",
      message: "x is undefined",
      cause: error,
    });
  });

  // The thrown value may be content, so it is not shown.
  test.each(["password", { password: "p" }, undefined, null])(
    "shows nothing of %j, which is no error",
    (thrown) => {
      expect(asFault(thrown).message).toBe("a value that is not an error was thrown");
    },
  );
});
