import { untoldChanges } from "@fleet-reloader/domain/cluster/told-namespace";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";

export interface MissedHintsOptions {
  /** The displayed name of the cluster. */
  readonly name: string;
  readonly log: Log;
  readonly meter: Pick<Meter, "hintsMissed">;
  /** Receives one line for each collection with missed hints; none when all is well. */
  readonly changed: (lines: readonly string[]) => void;
}

/** Names in a line; more of them make it no clearer. */
const namesShown = 5;

/** Reports what the lists of one cluster found without a hint. */
export class MissedHints {
  readonly #options: MissedHintsOptions;
  readonly #lines = new Map<string, string>();

  constructor(options: MissedHintsOptions) {
    this.#options = options;
  }

  /** The verdict on the last list of a collection. */
  judged(collection: string, names: readonly string[]): void {
    const { changed, log, meter, name } = this.#options;
    const before = this.#lines.size;
    if (names.length === 0) this.#lines.delete(collection);
    else {
      const shown = names.slice(0, namesShown).join(", ");
      const more = names.length > namesShown ? ", …" : "";
      const changes = names.length === 1 ? "1 change" : `${names.length} changes`;
      this.#lines.set(collection, untoldChanges(collection, changes, `${shown}${more}`));
      meter.hintsMissed(name, names.length);
      log.warn(
        { reason: "HintMissed", collection, count: names.length, names: names.slice(0, namesShown) },
        "a list found changes that no audit event told of; they are published",
      );
    }
    if (names.length > 0 || this.#lines.size !== before) changed([...this.#lines.values()]);
  }
}
