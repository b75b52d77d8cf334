import { eachClusterOnce } from "@fleet-reloader/domain/cluster/each-cluster-once";
import { Fault } from "@fleet-reloader/domain/fault";
import type { RegisteredCluster } from "@fleet-reloader/domain/hold/freeze-coverage";
import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { readRegistrations } from "@fleet-reloader/kube/registration/read-once";
import type { Registration } from "@fleet-reloader/kube/registration/registration";
import { type OpenRegistration, openRegistration } from "@fleet-reloader/kube/registration/sources";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { connectionFields } from "@fleet-reloader/runtime/config/fields";
import { type fleetFields, registrationSourcesOf } from "@fleet-reloader/runtime/config/fields/fleet-fields";
import { systemRandom } from "@fleet-reloader/runtime/process/system-clock";
import { userAgent } from "@fleet-reloader/runtime/process/version";

export interface AskedRegistrationsOptions {
  readonly config: ConfigOf<Pick<typeof connectionFields, "kubeconfig" | "contexts"> & typeof fleetFields>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
  /** The clusters as the services know them; they map an id to a name. */
  readonly registered: readonly RegisteredCluster[];
}

/** A registration that leads to the cluster of a question. */
export interface AskedRegistration extends Registration {
  readonly access: Extract<Registration["access"], { type: "usable" }>;
  /** The question named the cluster by this id; undefined: by name. */
  readonly askedId: string | undefined;
}

/** A person waits at a terminal. */
export const hubPatienceMs = 10_000;

/**
 * The registrations of the named clusters, by name or id. Providers are asked once, in their precedence, until all names are found;
 * nothing connects to the clusters. Faults with `config.invalid` for a name that no provider registers, or whose registration
 * cannot be used, and with `kube.unreachable` when a provider that may register it does not answer.
 */
export async function askedRegistrations(
  words: readonly string[],
  options: AskedRegistrationsOptions,
  signal: AbortSignal,
): Promise<readonly AskedRegistration[]> {
  const { clock, config, env, log, registered } = options;
  const asked = words.map((word) => askedName(word, registered));
  const wanted = new Set(asked.map(({ name }) => name));
  const shown = new Set(registered.map(({ name }) => name));
  const isWanted = (name: string): boolean => {
    shown.add(name);
    return wanted.has(name);
  };
  const sources = registrationSourcesOf(config, env);
  const meter = { registrations: () => undefined };
  const open = openRegistration({ sources, userAgent, clock, random: systemRandom, log, meter, isWanted });
  try {
    const { found, problems } = await readUntilFound(open, { wanted, shown, clock, signal });
    return asked.flatMap((one) =>
      usableRegistrations(one, found.get(one.name) ?? [], { problems, shown: [...shown] }),
    );
  } finally {
    await open.close();
  }
}

interface AskedName {
  readonly word: string;
  readonly name: string;
  readonly id: string | undefined;
}

function askedName(word: string, registered: readonly RegisteredCluster[]): AskedName {
  const byId = eachClusterOnce(registered).find(({ id }) => id === word);
  return byId === undefined ? { word, name: word, id: undefined } : { word, name: byId.name, id: word };
}

interface SearchedNames {
  readonly wanted: ReadonlySet<string>;
  /** Collects every name that the providers report. */
  readonly shown: Set<string>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Stops at the first provider that has a usable registration of each name: later ones do not count. */
async function readUntilFound(
  { providers }: OpenRegistration,
  { wanted, shown, clock, signal }: SearchedNames,
): Promise<{
  readonly found: ReadonlyMap<string, readonly Registration[]>;
  readonly problems: readonly string[];
}> {
  const found = new Map<string, readonly Registration[]>();
  const problems: string[] = [];
  const isMissing = (name: string) => !(found.get(name) ?? []).some(isUsable);
  for (const provider of providers) {
    if (![...wanted].some(isMissing)) break;
    const read = await readRegistrations(provider, { clock, patienceMs: hubPatienceMs }, signal);
    if ("problems" in read) problems.push(...read.problems);
    else {
      for (const { name } of read.registrations) shown.add(name);
      const its = Map.groupBy(
        read.registrations.filter(({ name }) => wanted.has(name) && isMissing(name)),
        ({ name }) => name,
      );
      for (const [name, some] of its) found.set(name, some.some(isUsable) ? some.filter(isUsable) : some);
    }
  }
  return { found, problems };
}

function isUsable({ access }: Registration): boolean {
  return access.type === "usable";
}

/** The usable registrations of a name. Faults with the reason when there is none. */
function usableRegistrations(
  { word, name, id: askedId }: AskedName,
  found: readonly Registration[],
  { problems, shown }: { readonly problems: readonly string[]; readonly shown: readonly string[] },
): readonly AskedRegistration[] {
  const those = found.flatMap(({ id, name: its, labels, access }) =>
    access.type === "usable" ? [{ id, name: its, labels, access, askedId }] : [],
  );
  if (those.length > 0) return those;
  if (problems.length > 0)
    throw new Fault("kube.unreachable", `--cluster ${word}: it was not found, and ${problems.join("; ")}`);
  const [access] = found.map((one) => one.access);
  if (access !== undefined && access.type !== "usable")
    throw new Fault("config.invalid", `--cluster ${word}: its registration is ${access.type}: ${access.why}`);
  const nearest = nearestName(name, shown);
  const other = nearest === undefined ? undefined : `did you mean ${nearest}?`;
  const mend = other ?? "name its registration, for example with --cluster-secrets";
  throw new Fault("config.invalid", `--cluster ${word}: no such cluster is registered; ${mend}`);
}
