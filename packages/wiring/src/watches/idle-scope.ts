import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { RecentMap } from "@fleet-reloader/engine/async/recent-map";
import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Engaged } from "@fleet-reloader/kube/fleet/fleet";
import { missingRights } from "@fleet-reloader/kube/fleet/rights";
import { createKubeClusterApi } from "@fleet-reloader/kube/objects/kube-cluster-api";
import type { GivenScope } from "@fleet-reloader/runtime/config/given-scope";

export interface IdleScopeOptions {
  readonly given: GivenScope;
  readonly clock: Clock;
  /** Warnings of a cluster. */
  readonly logOf: (name: string) => Log;
}

/** The named namespaces of a cluster that is watched. */
export interface NamedNamespaces {
  readonly engaged: Pick<Engaged, "cluster" | "connection" | "name">;
  /** Undefined: none is named. */
  readonly namespaces: readonly string[] | undefined;
  /** Resolves when the streams are in sync for the first time. */
  readonly inSync: Promise<void>;
}

/** How often it is asked which of the named namespaces exist: one may be created or deleted. */
const askedEveryMs = 3_600_000;
/** What was warned of most recently is remembered: a fleet has some thousand clusters. */
const idleScopesMax = 10_000;
const readNamespaces = { verb: "get", group: "", resource: "namespaces", namespace: undefined } as const;

/**
 * Warns of namespaces that are named and do not exist, and of a selector that selects none. Each is warned of once while it lasts, also when the
 * cluster is engaged again.
 */
export class IdleScope {
  readonly #options: IdleScopeOptions;
  readonly #warned = new RecentMap<string, true>(idleScopesMax);

  constructor(options: IdleScopeOptions) {
    this.#options = options;
  }

  /** Asks every hour until the signal is aborted. Without the right to read every namespace nothing is asked. The shipped roles do not have it. */
  async watchNames({ engaged, inSync, namespaces }: NamedNamespaces, signal: AbortSignal): Promise<void> {
    await Promise.race([inSync, untilAborted(signal)]);
    if (namespaces === undefined) return await untilAborted(signal);
    while (!signal.aborted) {
      try {
        await this.#askFor(engaged, namespaces, signal);
      } catch (error) {
        // A missing answer is no absence.
        if (!signal.aborted)
          this.#options.logOf(engaged.name).debug({ reason: asFault(error).code }, "namespaces unknown");
      }
      await this.#options.clock.sleep(askedEveryMs, signal).catch(() => undefined);
    }
  }

  /** The namespaces of a cluster were listed, and the selector selects this many. */
  selected({ cluster, name }: Pick<Engaged, "cluster" | "name">, count: number): void {
    const { logOf, given } = this.#options;
    if (!this.#isNews(cluster, count === 0)) return;
    logOf(name).warn(
      { reason: "ScopeIdle" },
      `${given.selector ?? "--namespace-selector"}: it selects no namespace that is served, so nothing is watched; label a namespace, and it is served from then on, or correct the selector`,
    );
  }

  async #askFor(
    { cluster, connection, name }: NamedNamespaces["engaged"],
    namespaces: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { logOf, given } = this.#options;
    if ((await missingRights(connection, [readNamespaces], signal)).length > 0) return;
    const api = createKubeClusterApi(cluster, connection, []);
    for (const namespace of namespaces) {
      const isAbsent = (await api.readNamespaceLabels(namespace, signal)) === undefined;
      if (!this.#isNews(`${cluster}/${namespace}`, isAbsent)) continue;
      logOf(name).warn(
        { reason: "ScopeIdle", namespace },
        `${given.names ?? "the registration"}: there is no namespace ${namespace}, so nothing is watched there; create it, and it is served from then on, or correct the name`,
      );
    }
  }

  /** Whether to warn: not again while it lasts. */
  #isNews(what: string, isIdle: boolean): boolean {
    if (!isIdle) this.#warned.delete(what);
    if (!isIdle || this.#warned.get(what) === true) return false;
    this.#warned.set(what, true);
    return true;
  }
}
