import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import { loadConfig } from "@fleet-reloader/runtime/config/load";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { clockOfHaste } from "@fleet-reloader/testkit/memory/clock-of-haste";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { expect, test } from "vitest";
import { unfreeze } from "../src/freeze/freeze.ts";
import { freezesConfig } from "../src/freeze/freeze-config.ts";
import { missingOfEach } from "../src/freeze/idle-freezes.ts";
import { listFreezes } from "../src/freeze/list-freezes.ts";

function documentOf(name: string, text: string | undefined) {
  return { name, text: async () => text, write: async () => undefined };
}

const missingOf = async () => [];

test("a document without an entry freezes nothing", async () => {
  const listed = await listFreezes([documentOf("ConfigMap tools/freezes", "[]\n")], {
    freezeFile: "",
    missingOf,
  });
  expect(listed.text()).toBe("ConfigMap tools/freezes: nothing is frozen");
});

// The runbook sends people here while the workers hold everything because the document is gone.
test.each([
  ["ConfigMap tools/freezes", "nothing is frozen if it never was there, and everything if it was"],
  ["/data/freezes.yaml", "everything is frozen where --freeze-file names it"],
])("of %s that is not there the meaning is told", async (name, meaning) => {
  const listed = await listFreezes([documentOf(name, undefined)], {
    freezeFile: "/data/freezes.yaml",
    missingOf,
  });
  expect(listed.text()).toContain(`${name}: it is not there`);
  expect(listed.text()).toContain(meaning);
});

const fleet = { fleet: true, cluster: "", clusterSelector: "", inNamespace: "", workload: "", source: "" };

// Everything is frozen when it was there before: somebody who wants rolls must not read that nothing is.
test.each([
  ["/data/freezes.yaml", "nothing is frozen if it never was there, and everything if it was"],
  ["/etc/freezes.yaml", "everything is frozen where --freeze-file names it"],
])("unfreeze says what it means that %s is not there", async (name, meaning) => {
  const lifting = unfreeze([documentOf(name, undefined)], { ...fleet, freezeFile: "/etc/freezes.yaml" });
  const message = await lifting.then(String, (error: Error) => error.message);
  expect(message).toMatch(new RegExp(`^the fleet: it is not frozen in ${name}; ${name}: it is not there`));
  expect(message).toContain(meaning);
  expect(message).not.toContain("none");
});

// Whoever lifts a freeze wants rolls: nothing rolls while another freeze covers the same.
test("unfreeze names the freezes that go on holding some of the same", async () => {
  const cluster = "- cluster: nova\n  reason: disk full\n  by: ann\n";
  const shop = "- cluster: nova\n  namespace: shop\n  reason: migration\n  by: bob\n";
  const over = "- fleet: true\n  reason: incident\n  until: 2020-01-01T00:00:00Z\n";
  const elsewhere = "- cluster: otech62\n  reason: disk full\n";
  const flags = { ...fleet, fleet: false, cluster: "nova", freezeFile: "" };
  const lifting = async (text: string) => await unfreeze([documentOf("freezes.yaml", text)], flags);
  expect(await lifting(`${cluster}${shop}${over}${elsewhere}`)).toBe(
    "removed from freezes.yaml: the freeze of cluster nova; still frozen are: cluster nova, namespace shop: migration (by bob)\n",
  );
  expect(await lifting(`${cluster}${over}${elsewhere}`)).toBe(
    "no longer frozen in freezes.yaml: cluster nova\n",
  );
});

// Somebody looks at the freezes because nothing rolls, which may be for a Redis that is away.
test("freezes are listed while Redis is away, with a warning", async () => {
  const config = loadConfig(freezesConfig, { args: ["--redis-url", "redis://127.0.0.1:1"], env: {} });
  const stderr = new PassThrough();
  const io = { env: {}, stderr };
  const clock = clockOfHaste(systemClock);
  const asked = (freezes: readonly Freeze[]) =>
    missingOfEach(freezes, { config, io, clock, log: new CollectedLog() });
  const document = documentOf("freezes.yaml", "- cluster: nova\n  reason: disk full\n  by: ann\n");
  const listed = await listFreezes([document], { freezeFile: "", missingOf: asked });
  stderr.end();
  expect(listed.text()).toBe("freezes.yaml:\n  cluster nova: disk full (by ann)");
  expect(await text(stderr)).toMatch(
    /^warning: it is not known what the freezes cover: --redis-url: no answer/,
  );
});
