import type { Stream } from "@fleet-reloader/engine/watch/cluster-streams";
import type { ClusterProvider, Registration } from "../registration.ts";
import type { KeptObjects, Keyed } from "./kept-objects.ts";

/** One collection that registrations are made from. */
export interface HubCollection {
  /** Its name in readiness, as in `Secrets of flux`. */
  readonly named: string;
  readonly stream: Stream;
  readonly kept: Pick<
    KeptObjects<Keyed>,
    "behind" | "isComplete" | "isRefused" | "whenChanged" | "stateChanged"
  >;
  /** It only supplements another collection: without the right to it, nothing waits for it. */
  readonly isOptional?: boolean;
}

/**
 * Registrations from objects of the hub. Nothing is reported before all its collections are known: a part of them could engage a cluster that
 * another part says to leave alone.
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
