import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { holds, patienceMs, until } from "@fleet-reloader/testkit/until";
import { expect } from "vitest";
import { auto, at as field, reads, type Site } from "../../site.ts";

type Counts = Readonly<Record<string, number>>;

/** A workload that just rolls, by kind and name. */
export type Owned = readonly ["Deployment" | "StatefulSet" | "DaemonSet", string];

/** What asks a workload's roll to be written as a variable, whatever the flags say. */
const asVariable = { "fleet-reloader.io/strategy": "env-vars" };

/** How many workloads of each kind and strategy a row holds: `CARRIED_COPIES=25` gives each estate 100 workloads. */
const copies = Number(process.env.CARRIED_COPIES ?? 1);

/** How many workloads a case puts through that needs one only: where there are copies, as many as an estate has. */
export const workloadsMin = copies === 1 ? 1 : 4 * copies;

/** Three quiet periods of `--debounce 500ms`, and then some. */
const quietMs = 2000;

/** One workload of each kind, and both strategies, that read this ConfigMap. */
export async function makeEstate(at: Site, name: string, configMap = "settings"): Promise<readonly Owned[]> {
  return await makeReaders(at, name, ["ConfigMap", configMap]);
}

/** The same, with what they read; opted in unless said otherwise. */
export async function makeReaders(
  at: Site,
  name: string,
  source: readonly ["ConfigMap" | "Secret", string],
  optIn: Readonly<Record<string, string>> = auto,
): Promise<readonly Owned[]> {
  const spec = reads(source);
  const copy = (own: string) =>
    [
      ["Deployment", own, optIn],
      ["Deployment", `${own}-variable`, { ...optIn, ...asVariable }],
      ["StatefulSet", own, optIn],
      ["DaemonSet", own, { ...optIn, ...asVariable }],
    ] as const;
  const estate = named(name, copies).flatMap(copy);
  await Promise.all(estate.map(([kind, own, annotations]) => at.workload(kind, own, { annotations, spec })));
  return estate.map(([kind, own]) => [kind, own]);
}

/** The name itself, and others that begin with it. */
export function named(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => (i === 0 ? name : `${name}-${i}`));
}

/** As many Deployments as asked for, all of which read the ConfigMap `settings`. */
export async function makeDeployments(at: Site, names: readonly string[]): Promise<readonly Owned[]> {
  const spec = reads(["ConfigMap", "settings"]);
  await Promise.all(names.map((name) => at.workload("Deployment", name, { annotations: auto, spec })));
  return names.map((name) => ["Deployment", name]);
}

/** Each has been looked at by us, and has begun. */
export async function adopted(at: Site, owned: readonly Owned[]): Promise<void> {
  await Promise.all(owned.map(([kind, name]) => at.adopted(kind, name, patienceMs)));
  await begun(at, owned);
}

/**
 * The controller of each has made its first revision. On a busy machine it makes it late, and if only after a roll then there is one revision, as if
 * there had been no roll.
 */
export async function begun(at: Site, owned: readonly Owned[]): Promise<void> {
  const isBegun = async () => {
    const revisions = await revisionsIn(at);
    return owned.every((one) => (revisions.get(one.join(" ")) ?? 0) >= 1);
  };
  await until("each has its first revision", isBegun, patienceMs);
}

interface Settling {
  readonly withinMs?: number;
  readonly quietMs?: number;
}

/** Each of them rolls exactly this often. */
export async function settleAt(
  at: Site,
  owned: readonly Owned[],
  rolls: number,
  options: Settling = {},
): Promise<void> {
  await settleCounts(() => counts(at, owned), rolls, options);
}

/** Each of these counts becomes this and stays so. What does not is told of all of them together. */
export async function settleCounts(
  counted: () => Promise<Counts>,
  each: number,
  options: Settling = {},
): Promise<void> {
  const isReached = async () => Object.values(await counted()).every((count) => count >= each);
  // Whether it was is told below, with each count.
  await until(`each is ${each}`, isReached, options.withinMs ?? patienceMs).catch(() => undefined);
  await holds(`each stays at ${each}`, options.quietMs ?? quietMs, async () => {
    const now = await counted();
    expect(now).toEqual(Object.fromEntries(Object.keys(now).map((name) => [name, each])));
    return true;
  });
}

async function counts(at: Site, owned: readonly Owned[]): Promise<Counts> {
  const revisions = await revisionsIn(at);
  const all = owned.map((one) => [one.join(" "), (revisions.get(one.join(" ")) ?? 0) - 1] as const);
  return Object.fromEntries(all);
}

/** How many revisions the controllers have made of each workload, by kind and name, in two requests. */
async function revisionsIn(at: Site): Promise<ReadonlyMap<string, number>> {
  const [deployments, others] = await Promise.all([
    listed(at, "Deployment"),
    listed(at, "ControllerRevision"),
  ]);
  const revisions = new Map<string, number>();
  for (const one of deployments) {
    const revision = field(one, "metadata", "annotations", "deployment.kubernetes.io/revision") ?? 0;
    revisions.set(`Deployment ${field(one, "metadata", "name")}`, Number(revision));
  }
  for (const one of others) {
    const owners = field(one, "metadata", "ownerReferences");
    const [owner] = Array.isArray(owners) ? owners : [];
    const key = `${field(owner, "kind")} ${field(owner, "name")}`;
    revisions.set(key, (revisions.get(key) ?? 0) + 1);
  }
  return revisions;
}

/** The controller has dealt with every Deployment as it is now, and counts one pod of each in these fields of its status. */
export async function eachHasOne(at: Site, ...fields: readonly string[]): Promise<boolean> {
  return (await listed(at, "Deployment")).every(
    (one) =>
      field(one, "status", "observedGeneration") === field(one, "metadata", "generation") &&
      fields.every((each) => field(one, "status", each) === 1),
  );
}

async function listed(at: Site, kind: "Deployment" | "ControllerRevision"): Promise<readonly unknown[]> {
  const items = field(JSON.parse(await at.all(kind)), "items");
  return Array.isArray(items) ? items : [];
}

/** All that Redis knew is gone from the data dir of a product that has ended; the mark key stays. */
export function loseRedis(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter((each) => each !== "mark.key"))
    rmSync(join(dataDir, name), { recursive: true, force: true });
}

/** What becomes of Redis between two starts on one data dir. */
export const redisFates = [
  ["with what Redis knew", () => undefined],
  ["without what Redis knew", loseRedis],
] as const;

const notePrefix = "fleet-reloader.io/carried-";

/** The annotations of an object that are notes of ours, as they stand. */
export function notesOf(object: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(annotationsOf(object).filter(([key]) => key.startsWith(notePrefix)));
}

export function withoutNotes(object: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(annotationsOf(object).filter(([key]) => !key.startsWith(notePrefix)));
}

function annotationsOf(object: unknown): readonly (readonly [string, string])[] {
  return Object.entries(field(object, "metadata", "annotations") ?? {});
}
