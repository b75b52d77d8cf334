import type { SourceRef } from "@fleet-reloader/domain/source/source";
import { chosenClusters } from "@fleet-reloader/engine/overview/registered-clusters";
import { OpenBreakers } from "@fleet-reloader/redis/ledger/open-breakers";
import { defineCommand } from "../frame/command.ts";
import { type FleetRedis, withFleetRedis } from "../redis/fleet-redis.ts";
import { actExitCodes, actOn, requireReason } from "./act.ts";
import { actFlags } from "./act-flags.ts";
import { meantWorkloads, type NamedObject, namedObject, type ObjectPlace } from "./meant-workloads.ts";

const oneObject = { mend: "write one KIND/NAME, for example Deployment/api", min: 1, max: 1 } as const;

export const retryCommand = defineCommand({
  name: "retry",
  purpose: "Check a workload now, and roll it if it has to roll",
  details: `It rolls only if the content that its pods started with is not the current one. A freeze, a breaker or a budget still holds it.`,
  examples: [
    'fleet-reloader retry Deployment/api --namespace shop --cluster nova --reason "the quota is raised"',
    'fleet-reloader retry deploy/api --reason "incident 4711" --expect 37',
  ],
  arguments: { placeholder: "KIND/NAME", mend: oneObject.mend, min: oneObject.min, max: oneObject.max },
  flags: actFlags,
  exitCodes: actExitCodes,
  async run({ config, words: [text = ""] }, io) {
    const object = namedObject(text, ["workload"]);
    requireReason(config);
    return await withFleetRedis(config, io, async (redis) => {
      const requests = await meantWorkloads(object, config, redis);
      return await actOn({ action: "retry", object, requests }, config, { redis, io });
    });
  },
});

export const replayCommand = defineCommand({
  name: "replay",
  purpose: "Check every workload that uses a source now, as if it had just changed",
  details: "Workloads whose pods run with the current content stay as they are.",
  examples: [
    'fleet-reloader replay Secret/db --namespace shop --reason "rotation 12" --yes',
    'fleet-reloader replay cm/settings --cluster nova --reason "webhook was down" --expect 12',
  ],
  arguments: { placeholder: "KIND/NAME", mend: "write one KIND/NAME, for example Secret/db", min: 1, max: 1 },
  flags: actFlags,
  exitCodes: actExitCodes,
  async run({ config, words: [text = ""] }, io) {
    const object = namedObject(text, ["source"]);
    requireReason(config);
    return await withFleetRedis(config, io, async (redis) => {
      const requests = await meantWorkloads(object, config, redis);
      return await actOn({ action: "replay", object, requests }, config, { redis, io });
    });
  },
});

export const releaseCommand = defineCommand({
  name: "release",
  purpose: "Close the open breaker of a workload or a source, and check what it held",
  details: `A breaker opens when a workload rolls, or a source changes, again and again. Stop the cause first: otherwise it opens again.`,
  examples: [
    'fleet-reloader release Deployment/api --namespace shop --cluster nova --reason "the loop is stopped"',
    'fleet-reloader release Secret/db --namespace shop --reason "the operator is fixed" --yes',
  ],
  arguments: { placeholder: "KIND/NAME", mend: oneObject.mend, min: oneObject.min, max: oneObject.max },
  flags: actFlags,
  exitCodes: actExitCodes,
  async run({ config, words: [text = ""] }, io) {
    const object = namedObject(text, ["workload", "source"]);
    requireReason(config);
    return await withFleetRedis(config, io, async (redis) => {
      const breakers = new OpenBreakers(redis);
      const requests = await meantWorkloads(object, config, redis);
      const open = await openOf(object, config, { redis, breakers, requests });
      if (open.length === 0) {
        io.stderr.write(
          `${object.kind}/${object.name}: no breaker of it is open; fleet-reloader held lists what is held\n`,
        );
        return 1;
      }
      const undo = () => breakers.close(open);
      return await actOn({ action: "release", object, requests, undo }, config, { redis, io });
    });
  },
});

interface BreakerSearch {
  readonly redis: FleetRedis;
  readonly breakers: OpenBreakers;
  readonly requests: Awaited<ReturnType<typeof meantWorkloads>>;
}

async function openOf(object: NamedObject, place: ObjectPlace, { redis, breakers, requests }: BreakerSearch) {
  if (object.type === "workload")
    return (await Promise.all(requests.map((request) => breakers.ofWorkload(request)))).flat();
  const { kind, name } = object;
  const clusters = (await chosenClusters(redis.overview, place.cluster)).flatMap(({ id }) => id ?? []);
  const namespaces = new Set(requests.map(({ workload }) => workload.namespace));
  const sources = [...namespaces].map((namespace): SourceRef => ({ kind, namespace, name }));
  const found = await Promise.all(sources.map((source) => breakers.ofSource(clusters, source)));
  return found.flat();
}
