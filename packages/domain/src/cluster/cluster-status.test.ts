import { describe, expect, test } from "vitest";
import { afterEvent, type ClusterEvent, clusterStatusOf, discovered, missesMax } from "./cluster-status.ts";

const after = (...events: readonly ClusterEvent[]) => clusterStatusOf(events.reduce(afterEvent, discovered));
const missed: ClusterEvent = { type: "missed", why: "no answer" };
const times = (count: number): readonly ClusterEvent[] => Array.from({ length: count }, () => missed);

describe("a cluster on its way", () => {
  test("is discovered, connecting, syncing and ready", () => {
    expect(after().state).toBe("Discovered");
    expect(after({ type: "connecting" }).state).toBe("Connecting");
    expect(after({ type: "connecting" }, { type: "engaged" }).state).toBe("Ready");
    expect(after({ type: "engaged" }, { type: "sync-began" }).state).toBe("Syncing");
    expect(after({ type: "engaged" }, { type: "sync-began" }, { type: "synced" }).state).toBe("Ready");
  });

  test("that cannot be connected to is unreachable or refuses us, also during retries", () => {
    const unreachable = { state: "Unreachable", why: ["no answer"] };
    expect(after({ type: "connecting" }, missed)).toEqual(unreachable);
    expect(after({ type: "connecting" }, missed, { type: "connecting" })).toEqual(unreachable);
    expect(after({ type: "connecting" }, { type: "refused", why: "401" })).toEqual({
      state: "Forbidden",
      why: ["401"],
    });
    expect(after({ type: "connecting" }, missed, { type: "engaged" }).state).toBe("Ready");
  });

  test("whose first lists take too long is degraded until they are complete", () => {
    const late: readonly ClusterEvent[] = [
      { type: "engaged" },
      { type: "sync-began" },
      { type: "sync-late" },
    ];
    expect(after(...late).state).toBe("Degraded");
    expect(after(...late, { type: "synced" }).state).toBe("Ready");
    expect(after({ type: "engaged" }, { type: "synced" }, { type: "sync-late" }).state).toBe("Ready");
  });
});

describe("an engaged cluster", () => {
  test("of which hints were missed is degraded until a list finds no more", () => {
    const lines = ["no audit event told of 1 change in configmaps: shop/settings"];
    const missing: readonly ClusterEvent[] = [{ type: "engaged" }, { type: "hints-missed", lines }];
    expect(after(...missing)).toEqual({ state: "Degraded", why: lines });
    expect(after(...missing, { type: "hints-missed", lines: [] })).toEqual({ state: "Ready", why: [] });
  });

  const ready: readonly ClusterEvent[] = [{ type: "engaged" }, { type: "synced" }];

  test("is degraded without an answer, then unreachable, and back at the first answer", () => {
    expect(after(...ready, missed)).toEqual({ state: "Degraded", why: ["no answer"] });
    expect(after(...ready, ...times(missesMax - 1)).state).toBe("Degraded");
    expect(after(...ready, ...times(missesMax)).state).toBe("Unreachable");
    expect(after(...ready, ...times(missesMax), { type: "heard" }).state).toBe("Ready");
    expect(after(...ready, ...times(missesMax), { type: "heard" }, missed).state).toBe("Degraded");
  });

  test("that was syncing when it fell silent is syncing when it is back", () => {
    const events: readonly ClusterEvent[] = [{ type: "engaged" }, { type: "sync-began" }];
    expect(after(...events, ...times(missesMax), { type: "heard" }).state).toBe("Syncing");
  });

  test("without a right is forbidden, and says each; what is worse is shown before", () => {
    const forbidden: ClusterEvent = { type: "rights", missing: ["patch jobs", "list secrets"] };
    expect(after(...ready, forbidden)).toEqual({
      state: "Forbidden",
      why: ["patch jobs", "list secrets"],
    });
    expect(after(...ready, forbidden, ...times(missesMax)).state).toBe("Unreachable");
    expect(after(...ready, forbidden, missed, { type: "heard" }).state).toBe("Forbidden");
    expect(after(...ready, forbidden, { type: "rights", missing: [] }).state).toBe("Ready");
  });

  test("may be paused, become an alias, and go; after that nothing changes it", () => {
    expect(after(...ready, missed, { type: "paused", why: "by Argo CD" })).toEqual({
      state: "Paused",
      why: ["by Argo CD"],
    });
    expect(after(...ready, missed, { type: "alias", of: "file#a" })).toEqual({
      state: "Alias",
      why: ["it is the cluster file#a"],
    });
    expect(after(...ready, { type: "removed" }, { type: "engaged" }, missed).state).toBe("Gone");
  });
});
