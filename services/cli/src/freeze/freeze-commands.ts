import { createLog } from "@fleet-reloader/runtime/log/pino-log";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { userAgent } from "@fleet-reloader/runtime/process/version";
import { type FreezeStores, type FreezesOptions, openFreezes } from "@fleet-reloader/wiring/freezes";
import { type CommandProcess, defineCommand } from "../frame/command.ts";
import { coveredFreeze, coversNothing } from "./covered-freeze.ts";
import { listFreezes, unfreeze } from "./freeze.ts";
import { freezeConfig, freezesConfig, unfreezeConfig } from "./freeze-config.ts";

export const freezeCommand = defineCommand({
  name: "freeze",
  purpose: "Forbid rolls of the fleet, a cluster, a namespace, a workload or a source",
  details: `Where the same is frozen already, its reason and its end are changed. A freeze is read before every roll, so it also
stops what is on its way. Give --freeze-configmap for a hub, or --freeze-file for a file.`,
  examples: [
    'fleet-reloader freeze --fleet --reason "incident 4711"',
    'fleet-reloader freeze --cluster nova --reason "disk full" --until 2h',
    "fleet-reloader freeze --namespace shop --workload Deployment/api --reason migration",
  ],
  flags: freezeConfig,
  exitCodes: { [coversNothing]: "the freeze is written, and it covers nothing that is known" },
  async run({ config }, io) {
    const log = createLog({ service: "cli", level: "error", format: "json" });
    return await withStores(config, io, async ([store]) => {
      const report = await coveredFreeze(store, config, { env: io.env, clock: systemClock, log });
      io.stderr.write(report.warning ?? "");
      io.stdout.write(report.says);
      return report.exitCode;
    });
  },
});

export const unfreezeCommand = defineCommand({
  name: "unfreeze",
  purpose: "Allow rolls again: remove the freeze of exactly this scope",
  details: "What was held rolls at once. fleet-reloader freezes lists the scopes.",
  examples: ["fleet-reloader unfreeze --fleet", "fleet-reloader unfreeze --cluster nova"],
  flags: unfreezeConfig,
  async run({ config }, io) {
    return await withStores(config, io, async ([store]) => {
      io.stdout.write(await unfreeze(store, config));
      return 0;
    });
  },
});

export const freezesCommand = defineCommand({
  name: "freezes",
  purpose: "List the freezes, with who set them and until when",
  examples: [
    "fleet-reloader freezes",
    "fleet-reloader freezes --kubeconfig hub.yaml --freeze-configmap reloader/freezes",
  ],
  flags: freezesConfig,
  async run({ config }, io) {
    return await withStores(config, io, async (stores) => {
      io.stdout.write(await listFreezes(stores));
      return 0;
    });
  },
});

async function withStores(
  config: FreezesOptions["config"],
  { env }: CommandProcess,
  act: (stores: FreezeStores) => Promise<number>,
): Promise<number> {
  const open = openFreezes({ config, env, userAgent, clock: systemClock });
  try {
    return await act(open.stores);
  } finally {
    await open.close();
  }
}
