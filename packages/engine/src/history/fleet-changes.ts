import { type FleetChangeId, fleetChangeOf } from "@fleet-reloader/domain/source/fleet-change";
import type { KeyedDigest } from "@fleet-reloader/domain/source/mark";
import type { SourceContent, SourceRef } from "@fleet-reloader/domain/source/source";
import { RecentMap } from "../async/recent-map.ts";
import type { ChangeId } from "./history.ts";

/** The number of changes whose ids are remembered: a source may have a mebibyte and thousands of workloads. */
const fleetChangesMax = 5000;

/** Computes the fleet-wide ids of changes. Each content is hashed once for all its workloads. */
export class FleetChanges {
  readonly #keyed: KeyedDigest;
  readonly #ids = new RecentMap<ChangeId, FleetChangeId>(fleetChangesMax);

  constructor(keyed: KeyedDigest) {
    this.#keyed = keyed;
  }

  /** A change is one version of one source, so its content is always the same. */
  idOf(change: ChangeId, source: SourceRef, content: SourceContent): FleetChangeId {
    const known = this.#ids.get(change);
    if (known !== undefined) return known;
    const id = fleetChangeOf(source, content, this.#keyed);
    this.#ids.set(change, id);
    return id;
  }
}
