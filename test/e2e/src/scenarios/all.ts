import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { afterAll, beforeAll, describe } from "vitest";
import type { World } from "../world.ts";
import { adoptionTests } from "./adoption.ts";
import { appearanceTests } from "./appearance.ts";
import { badInputTests } from "./bad-input.ts";
import { absenceTests } from "./carried/absence.ts";
import { calmTests } from "./carried/calm.ts";
import { keyTests } from "./carried/keys.ts";
import { latecomerTests } from "./carried/latecomers.ts";
import { lostWriteTests } from "./carried/lost-writes.ts";
import { noteTests } from "./carried/notes.ts";
import { chaosTests } from "./chaos.ts";
import { csiTests } from "./csi.ts";
import { historyTests } from "./history.ts";
import { migrationTests } from "./migration.ts";
import { notifyTests } from "./notify.ts";
import { outageTests } from "./outage.ts";
import { pauseTests } from "./pause.ts";
import { quietTests } from "./quiet.ts";
import { scalingTests } from "./scaling.ts";
import { scopeTests } from "./scope.ts";
import { secrecyTests } from "./secrecy.ts";
import { storyTests } from "./story.ts";
import { surfaceTests } from "./surface.ts";

/** What a user can rely on while nothing fails, on whatever API server the world is. */
export function everydayTests(world: () => World): void {
  describe.each(["annotations", "env-vars"])("strategy %s", (strategy) => {
    runningProduct(world, ["--reload-strategy", strategy]);
    storyTests(world);
  });
  describe("with the default settings", () => {
    runningProduct(world, []);
    quietTests(world);
  });
}

/** What holds when things fail, stop and start; every test brings its own product, so they run side by side. */
export function adversityTests(world: () => World): void {
  describe.concurrent("side by side", () => {
    describe("under faults", () => chaosTests(world));
    describe("at the first start", () => adoptionTests(world));
    describe("coming from the peer", () => migrationTests(world));
    describe("secrecy", () => secrecyTests(world));
    describe("a pause period", () => pauseTests(world));
    describe("surface", () => surfaceTests(world));
    describe("workers from zero", () => scalingTests(world));
    badInputTests(world);
    notifyTests(world);
    describe("history", () => historyTests(world));
  });
  describe("alone", () => outageTests(world));
}

/** What counts, and where: every test brings its own product for its own namespaces, so they run side by side. */
export function servedTests(world: () => World): void {
  describe.concurrent("sources that come and go", () => appearanceTests(world));
  describe.concurrent("scope", () => scopeTests(world));
  describe.concurrent("secret provider classes", () => csiTests(world));
}

/** What the pods run with, whatever we saw first: every test brings its own product for its own namespace, so they run side by side. */
export function carriedTests(world: () => World): void {
  describe.concurrent("what pods carry", () => {
    describe("made and changed before a look", () => absenceTests(world));
    describe("late sources and young workloads", () => latecomerTests(world));
    describe("notes that go and come back", () => noteTests(world));
    describe("another mark key", () => keyTests(world));
    describe("lost writes", () => lostWriteTests(world));
    describe("no change", () => calmTests(world));
  });
}

function runningProduct(world: () => World, args: readonly string[]): void {
  let product: Product | undefined;
  beforeAll(async () => {
    product = startProduct({ kubeconfig: world().kubeconfigPath, args });
    await product.ready();
  });
  afterAll(() => product?.[Symbol.asyncDispose]());
}
