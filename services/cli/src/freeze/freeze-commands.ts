import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { FreezeStores } from "@fleet-reloader/runtime/freeze/freeze-store";
import { createLog } from "@fleet-reloader/runtime/log/pino-log";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { userAgent } from "@fleet-reloader/runtime/process/version";
import type { KnownDocuments } from "@fleet-reloader/wiring/freeze-absence";
import { type FreezesOptions, openFreezes } from "@fleet-reloader/wiring/freezes";
import { type CommandAnswer, printAnswer } from "../frame/answer.ts";
import { type CommandProcess, defineCommand } from "../frame/command.ts";
import { openServer } from "../server/open-server.ts";
import { coveredFreeze, coversNothing, type FreezeReport } from "./covered-freeze.ts";
import { unfreeze } from "./freeze.ts";
import { freezeConfig, freezesConfig, unfreezeConfig } from "./freeze-config.ts";
import { missingOfEach } from "./idle-freezes.ts";
import { knownByRedis } from "./known-by-redis.ts";
import { listFreezes } from "./list-freezes.ts";
import { freezeByServer, freezesByServer, liftByServer } from "./served-freeze.ts";

export const freezeCommand = defineCommand({
  name: "freeze",
  purpose: "Forbid rolls of the fleet, a cluster, a namespace, a workload or a source",
  details: `Where the same is frozen already, its reason and its end are changed. A freeze is read before every roll, so it also
stops what is on its way. Give --freeze-configmap for a hub, --freeze-file for a file, or --server for a dashboard, which has these flags itself.`,
  examples: [
    'fleet-reloader freeze --fleet --reason "incident 4711"',
    'fleet-reloader freeze --cluster nova --reason "disk full" --until 2h',
    "fleet-reloader freeze --namespace shop --workload Deployment/api --reason migration",
  ],
  flags: freezeConfig,
  exitCodes: {
    [coversNothing]: "the freeze is written, and it covers nothing that is known, or no watcher has read it",
  },
  async run({ config }, io) {
    const client = openServer(config, io);
    const report =
      client === undefined ? await freezeInStore(config, io) : await freezeByServer(config, client);
    io.stderr.write(report.warning ?? "");
    io.stdout.write(report.says);
    return report.exitCode;
  },
});

export const unfreezeCommand = defineCommand({
  name: "unfreeze",
  purpose: "Allow rolls again: remove the freeze of exactly this scope",
  details: "What was held rolls at once. fleet-reloader freezes lists the scopes.",
  examples: [
    "fleet-reloader unfreeze --fleet",
    "fleet-reloader unfreeze --cluster nova",
    'fleet-reloader unfreeze --server https://reloader.example.org --cluster nova --reason "the disk is mended"',
  ],
  flags: unfreezeConfig,
  async run({ config }, io) {
    const client = openServer(config, io);
    io.stdout.write(
      client === undefined
        ? await withStores(config, io, (stores) => unfreeze(stores, config))
        : await liftByServer(config, client),
    );
    return 0;
  },
});

export const freezesCommand = defineCommand({
  name: "freezes",
  purpose: "List the freezes, with who set them and until when",
  details:
    "Where Redis is known, it is said of a freeze that it covers nothing, as when a name in the document is misspelt.",
  examples: [
    "fleet-reloader freezes",
    "fleet-reloader freezes -o json",
    "fleet-reloader freezes --kubeconfig hub.yaml --freeze-configmap reloader/freezes",
  ],
  flags: freezesConfig,
  async run({ config }, io) {
    const client = openServer(config, io);
    const answer = client === undefined ? await freezesOfStores(config, io) : await freezesByServer(client);
    printAnswer(answer, config.output, io);
    return 0;
  },
});

async function freezesOfStores(
  config: ConfigOf<typeof freezesConfig>,
  io: CommandProcess,
): Promise<CommandAnswer> {
  const log = createLog({ service: "cli", level: "error", format: "json" });
  const missingOf = (freezes: readonly Freeze[]) =>
    missingOfEach(freezes, { config, io, clock: systemClock, log });
  const { freezeFile } = config;
  return await withStores(config, io, (stores) => listFreezes(stores, { freezeFile, missingOf }));
}

async function freezeInStore(
  config: ConfigOf<typeof freezeConfig>,
  io: CommandProcess,
): Promise<FreezeReport> {
  const log = createLog({ service: "cli", level: "error", format: "json" });
  const { env, stdout } = io;
  const freezing = ([store]: FreezeStores) =>
    coveredFreeze(store, config, { env, clock: systemClock, log, onWritten: (says) => stdout.write(says) });
  return await withStores(config, io, freezing, knownByRedis(config, io, log));
}

async function withStores<T>(
  config: FreezesOptions["config"],
  { env }: CommandProcess,
  act: (stores: FreezeStores) => Promise<T>,
  known?: KnownDocuments,
): Promise<T> {
  const open = openFreezes({ config, env, userAgent, clock: systemClock, known });
  try {
    return await act(open.stores);
  } finally {
    await open.close();
  }
}
