import { describe, expect, it, vi } from "vitest";
import { linkedAbort } from "./linked-abort.ts";

describe("linkedAbort", () => {
  it("is aborted with its parent, for the same reason", () => {
    const parent = new AbortController();
    using linked = linkedAbort(parent.signal);
    const reason = new Error("stopped");
    parent.abort(reason);
    expect(linked.signal.aborted).toBe(true);
    expect(linked.signal.reason).toBe(reason);
  });

  it("is aborted from the beginning when its parent is", () => {
    using linked = linkedAbort(AbortSignal.abort("stopped"));
    expect(linked.signal.reason).toBe("stopped");
  });

  it("leaves its parent alone when it is aborted itself", () => {
    const parent = new AbortController();
    using linked = linkedAbort(parent.signal);
    linked.abort();
    expect(linked.signal.aborted).toBe(true);
    expect(parent.signal.aborted).toBe(false);
  });

  it("is over when it is disposed of: its parent keeps nothing of it", () => {
    const parent = new AbortController();
    const removed = vi.spyOn(parent.signal, "removeEventListener");
    const linked = linkedAbort(parent.signal);
    linked[Symbol.dispose]();
    parent.abort();
    expect(linked.signal.aborted).toBe(false);
    expect(removed).toHaveBeenCalledOnce();
  });
});
