import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assignClusters, loadBounds, type Placement, type WatcherMember } from "./assign-clusters.ts";

const member = fc.record({
  id: fc.stringMatching(/^watcher-[a-z0-9]{1,4}$/),
  weight: fc.constantFrom(1, 1, 1, 2),
});
const members = fc.uniqueArray(member, { minLength: 1, maxLength: 8, selector: ({ id }) => id });
const weight = fc.constantFrom(1, 1, 1, 2, 4, 64, 1000);
const placement = fc.record({ cluster: fc.uuid(), weight, owner: fc.constant(undefined) });
const placements = fc.uniqueArray(placement, { maxLength: 60, selector: ({ cluster }) => cluster });

/** The clusters after each was given to its assigned member. */
function settle(them: readonly WatcherMember[], clusters: readonly Placement[]): readonly Placement[] {
  const assigned = assignClusters(them, clusters);
  return clusters.map((one) => ({ ...one, owner: assigned.get(one.cluster) }));
}

function loadsOf(clusters: readonly Placement[]): ReadonlyMap<string | undefined, number> {
  const groups = Map.groupBy(clusters, ({ owner }) => owner);
  return new Map([...groups].map(([owner, own]) => [owner, own.reduce((sum, one) => sum + one.weight, 0)]));
}

function moved(before: readonly Placement[], after: readonly Placement[]): readonly Placement[] {
  return before.filter((one, i) => one.owner !== after[i]?.owner);
}

function uniform(count: number): readonly Placement[] {
  return Array.from({ length: count }, (_, i) => ({ cluster: `cluster-${i}`, weight: 1, owner: undefined }));
}

function named(...ids: readonly string[]): readonly WatcherMember[] {
  return ids.map((id) => ({ id, weight: 1 }));
}

describe("the assignment of clusters to members", () => {
  test("gives every cluster one of the members, and none more than its bound", () => {
    fc.assert(
      fc.property(members, placements, (them, clusters) => {
        const settled = settle(them, clusters);
        const ids = new Set(them.map(({ id }) => id));
        expect(settled.every(({ owner }) => owner !== undefined && ids.has(owner))).toBe(true);
        const bounds = loadBounds(them, clusters);
        for (const [owner, load] of loadsOf(settled))
          expect(load).toBeLessThanOrEqual((bounds.get(owner ?? "") ?? 0) + 1e-6);
      }),
    );
  });

  test("does not depend on the order in which members and clusters are seen", () => {
    fc.assert(
      fc.property(members, placements, fc.boolean(), (them, clusters, areSettled) => {
        const seen = areSettled ? settle(them.slice(0, 2), clusters) : clusters;
        const there = assignClusters(them, seen);
        const elsewhere = assignClusters([...them].reverse(), [...seen].reverse());
        expect(new Map([...there].sort())).toEqual(new Map([...elsewhere].sort()));
      }),
    );
  });

  test("moves nothing when it is asked again", () => {
    fc.assert(
      fc.property(members, members, placements, (before, now, clusters) => {
        const settled = settle(now, settle(before, clusters));
        expect(moved(settled, settle(now, settled))).toEqual([]);
      }),
    );
  });

  test("moves only the clusters of a member that leaves", () => {
    fc.assert(
      fc.property(members, placements, (them, clusters) => {
        const [leaving, ...staying] = them;
        fc.pre(leaving !== undefined && staying.length > 0);
        const before = settle(them, clusters);
        for (const one of moved(before, settle(staying, before))) expect(one.owner).toBe(leaving?.id);
      }),
    );
  });

  test("moves, for a member that joins, only what is above the bounds of the others", () => {
    fc.assert(
      fc.property(members, placements, (them, clusters) => {
        const [joining, ...others] = them;
        fc.pre(joining !== undefined && others.length > 0);
        const before = settle(others, clusters);
        const bounds = loadBounds(them, before);
        const heaviest = Math.max(0, ...before.map((one) => one.weight));
        const gone = loadsOf(moved(before, settle(them, before)));
        for (const [owner, load] of loadsOf(before)) {
          const above = Math.max(0, load - (bounds.get(owner ?? "") ?? 0));
          // A cluster cannot be divided, so one cluster more than needed may have to move.
          const most = above > 0 ? above + heaviest : 0;
          expect(gone.get(owner) ?? 0).toBeLessThanOrEqual(most + 1e-6);
        }
      }),
    );
  });

  test("is even: of 1,000 clusters each of ten members has at most 125, a newcomer too", () => {
    const ten = named(...Array.from({ length: 10 }, (_, i) => `watcher-${i}`));
    const before = settle(ten, uniform(1000));
    const loads = [...loadsOf(before).values()];
    expect(loads).toHaveLength(10);
    expect(Math.max(...loads)).toBeLessThanOrEqual(125);
    expect(Math.min(...loads)).toBeGreaterThan(60);
    const twenty = [...ten, ...named(...Array.from({ length: 10 }, (_, i) => `late-${i}`))];
    const after = settle(twenty, before);
    expect(Math.max(...loadsOf(after).values())).toBeLessThanOrEqual(63);
    expect(loadsOf(after).size).toBe(20);
  });

  test("a cluster that outweighs all others is watched, and stays where it is", () => {
    const giant = { cluster: "giant", weight: 10_000, owner: undefined };
    const them = named("a", "b", "c");
    const settled = settle(them, [giant, ...uniform(20)]);
    expect(moved(settled, settle(them, settled))).toEqual([]);
    expect(settled.every(({ owner }) => owner !== undefined)).toBe(true);
  });

  test("nobody is assigned to nobody", () => {
    expect(assignClusters([], uniform(3))).toEqual(new Map());
  });
});
