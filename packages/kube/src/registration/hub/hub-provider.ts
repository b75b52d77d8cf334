import type { Stream } from "@fleet-reloader/engine/watch/cluster-streams";
import type { ClusterProvider, Registration } from "../registration.ts";
import type { KeptObjects, Keyed } from "./kept-objects.ts";

/** One collection that registrations are made from. */
export interface HubCollection {
  /** As readiness names it, as in `Secrets of flux`. */
  readonly named: string;
  readonly stream: Stream;
  readonly kept: Pick<
    KeptObjects<Keyed>,
    "behind" | "isComplete" | "isRefused" | "whenChanged" | "stateChanged"
  >;
  /** It only adds to what another collection says: a right to it that is missing is no reason to wait. */
  readonly isOptional?: boolean;
}

/**
 * Registrations from objects of the hub. Nothing is reported before all of its collections are known: half of them could
 * engage a cluster that the other half says is to be left alone.
 */
export function createHubProvider(
  hubName: string,
  collections: readonly HubCollection[],
  registrations: () => readonly Registration[],
): ClusterProvider {
  const isKnown = ({ kept, isOptional }: HubCollection): boolean =>
    kept.isComplete || (isOptional === true && kept.isRefused);
  return {
    async run(signal, onChange) {
      const tell = (): void => {
        if (!signal.aborted && collections.every(isKnown)) onChange(registrations());
      };
      for (const { kept } of collections) kept.whenChanged(tell);
      await Promise.all(
        collections.map(({ stream, kept }) =>
          stream.run(signal, (state, why) => kept.stateChanged(state, why)),
        ),
      );
    },
    get notReady() {
      return collections.flatMap(({ kept, named, isOptional }) => {
        if (kept.behind === undefined || (kept.isRefused && isOptional === true)) return [];
        return [`registrations on ${hubName}: ${named} are ${kept.behind}`];
      });
    },
  };
}
