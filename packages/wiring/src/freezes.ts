import { join, resolve } from "node:path";
import { asFault } from "@fleet-reloader/domain/fault";
import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import { FreezeWatch } from "@fleet-reloader/engine/admission/freeze-watch";
import type { Freezes, FrozenNow } from "@fleet-reloader/engine/admission/freezes";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { SingleFlight } from "@fleet-reloader/engine/async/single-flight";
import { unlessAborted } from "@fleet-reloader/engine/async/unless-aborted";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import { selectTargets } from "@fleet-reloader/kube/credentials/kubeconfig";
import type { Fleet } from "@fleet-reloader/kube/fleet/fleet";
import { Connection } from "@fleet-reloader/kube/http/connection";
import { FreezeConfigMap } from "@fleet-reloader/kube/objects/freeze-config-map";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisKnownDocuments } from "@fleet-reloader/redis/index/redis-known-documents";
import { ClusterLister } from "@fleet-reloader/redis/ownership/cluster-lister";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { connectionFields } from "@fleet-reloader/runtime/config/fields";
import type { freezeFields } from "@fleet-reloader/runtime/config/fields/freeze-fields";
import { kubeconfigFilesOf } from "@fleet-reloader/runtime/config/kubeconfig-files";
import { freezeOfEntry, readFreezeEntries } from "@fleet-reloader/runtime/freeze/freeze-entries";
import { FreezeFile } from "@fleet-reloader/runtime/freeze/freeze-file";
import type { FreezeStore, FreezeStores } from "@fleet-reloader/runtime/freeze/freeze-store";
import { dataDirOf } from "@fleet-reloader/runtime/process/data-dir";
import { Loops } from "@fleet-reloader/runtime/process/loops";
import { instanceName } from "@fleet-reloader/runtime/process/version";
import { FreezeAbsence, type KnownDocuments } from "./freeze-absence.ts";

export interface OpenFreezes extends Freezes {
  readonly stores: FreezeStores;
  close(): Promise<void>;
}

export interface FreezesOptions {
  readonly config: ConfigOf<
    Pick<typeof connectionFields, "kubeconfig" | "contexts" | "dataDir"> & typeof freezeFields
  >;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Undefined: a missing document freezes nothing, unless the configuration names it. */
  readonly known?: KnownDocuments | undefined;
}

/** The freezes of the file and of the ConfigMap together. Neither can lift a freeze of the other. */
export function openFreezes(options: FreezesOptions): OpenFreezes {
  const { clock, config, env, known } = options;
  const lifetime = new AbortController();
  const path = config.freezeFile || join(dataDirOf(config.dataDir, env), "freezes.yaml");
  const inCluster = configMapOf(options, lifetime.signal);
  const file = new FreezeFile(path);
  const ofFile = openDocument(file, absenceOfFile(file, options));
  const ofCluster = inCluster && openDocument(inCluster.store, absenceOf(inCluster.store, clock, known));
  const documents = ofCluster === undefined ? [ofFile.read] : [ofCluster.read, ofFile.read];
  return {
    stores: ofCluster === undefined ? [ofFile.store] : [ofCluster.store, ofFile.store],
    async now() {
      const all = await Promise.all(documents.map((read) => read()));
      const broken = all.find((one) => one.type === "unreadable");
      return (
        broken ?? { type: "known", freezes: all.flatMap((one) => (one.type === "known" ? one.freezes : [])) }
      );
    },
    async close() {
      lifetime.abort();
      await inCluster?.connection.close();
    },
  };
}

export interface ServedFreezesOptions {
  readonly config: FreezesOptions["config"];
  readonly env: FreezesOptions["env"];
  readonly userAgent: string;
  /** The name of this process among the others. */
  readonly member: string;
  readonly client: RedisClient;
  readonly keys: Keys;
  /** The clock of Redis. */
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  readonly fleet: Pick<Fleet, "claimedClusters" | "listed">;
}

export interface ServedFreezes {
  readonly freezes: FreezeWatch;
  readonly stores: FreezeStores;
  /** Rejects when one of its loops ends by itself. */
  readonly broken: Promise<never>;
  close(): Promise<void>;
}

/** The freezes of a service. It stores in Redis which documents existed, and logs when one cannot be read. */
export function serveFreezes(options: ServedFreezesOptions): ServedFreezes {
  const { client, clock, config, env, fleet, keys, log, member, meter, userAgent } = options;
  const known = new RedisKnownDocuments({ client, keys });
  const open = openFreezes({ config, env, userAgent, clock, known });
  const registered = () => fleet.listed;
  const freezes = new FreezeWatch({ freezes: open, clock, log, meter, registered });
  const lifetime = new AbortController();
  const { signal } = lifetime;
  const loops = new Loops(signal);
  loops.add("the reading of freezes", freezes.run(signal));
  loops.add(
    "the list of clusters",
    publishClusters(new ClusterLister({ client, clock, keys, member }), fleet, clock, signal),
  );
  return {
    freezes,
    stores: open.stores,
    broken: loops.broken,
    async close() {
      lifetime.abort();
      await loops.ended();
      await open.close();
    },
  };
}

/** The command line answers from this list which clusters a freeze covers and which are unhealthy. */
const publishMs = 5000;
/** Most registrations arrive within the first moments. */
const publishFirstMs = 1000;

async function publishClusters(
  lister: ClusterLister,
  fleet: ServedFreezesOptions["fleet"],
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { claimedClusters, listed } = fleet;
    const put = () => lister.put({ listed, isWhole: claimedClusters !== undefined });
    if (listed.length > 0) await unlessAborted(put(), signal, "Redis").catch(() => undefined);
    await clock.sleep(listed.length === 0 ? publishFirstMs : publishMs, signal).catch(() => undefined);
  }
}

function configMapOf({ config, env, clock, userAgent }: FreezesOptions, signal: AbortSignal) {
  if (config.freezeConfigmap === undefined) return undefined;
  const [target] = selectTargets(kubeconfigFilesOf(config.kubeconfig, env), config.contexts);
  if (target === undefined) return undefined;
  const connection = new Connection({ target, clock, userAgent });
  const { namespace, name } = config.freezeConfigmap;
  return { connection, store: new FreezeConfigMap({ connection, signal, namespace, name }) };
}

function absenceOf({ name }: FreezeStore, clock: Clock, known: FreezesOptions["known"]): FreezeAbsence {
  const mend = "create it again, with [] under freezes.yaml for no freezes";
  return new FreezeAbsence({ place: name, names: [name], mend, isNamed: false, known, clock });
}

/**
 * The first freeze creates the default file. Other machines with the same Redis have one at the same path. The embedded Redis of a data dir
 * remembers the file of its data dir, even for the next pod, which has another name.
 */
function absenceOfFile(
  { name: place }: FreezeStore,
  { clock, config, known }: FreezesOptions,
): FreezeAbsence {
  const mend = "create it again, with [] for no freezes";
  const path = resolve(place);
  const names = [`file ${instanceName()}:${path}`, ...(known?.isOfDataDir === true ? [`file ${path}`] : [])];
  return new FreezeAbsence({ place, names, mend, isNamed: config.freezeFile !== "", known, clock });
}

function openDocument(store: FreezeStore, absence: FreezeAbsence) {
  const guarded: FreezeStore = {
    name: store.name,
    text: () => store.text(),
    async write(change) {
      if ((await store.text()) === undefined) await absence.assertNotGone();
      await store.write(change);
    },
  };
  return { store: guarded, read: readStore(store, absence) };
}

/** Overlapping calls share one read. The text is parsed again only when it has changed. */
function readStore(store: FreezeStore, absence: FreezeAbsence): () => Promise<FrozenNow> {
  const shared = new SingleFlight<FrozenNow>();
  let known: { readonly text: string; readonly frozen: FrozenNow } | undefined;
  const look = async (): Promise<FrozenNow> => {
    try {
      const text = await store.text();
      if (text === undefined) return await absence.meaning();
      absence.seen();
      if (known?.text !== text) known = { text, frozen: parseFreezes(store.name, text) };
      return known.frozen;
    } catch (error) {
      return { type: "unreadable", why: `${store.name}: ${asFault(error).message}` };
    }
  };
  return () => shared.read("document", look);
}

function parseFreezes(name: string, text: string): FrozenNow {
  const document = readFreezeEntries(text);
  if (document.type === "unreadable") return { type: "unreadable", why: `${name}: ${document.why}` };
  const freezes: readonly Freeze[] = document.entries.map(freezeOfEntry);
  return { type: "known", freezes };
}
