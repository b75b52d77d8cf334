import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import type { Freezes, FrozenNow } from "@fleet-reloader/engine/admission/freezes";

/** Freezes that a test declares and takes away. */
export class MemoryFreezes implements Freezes {
  freezes: readonly Freeze[] = [];
  /** Set: nobody can tell what is frozen, for this reason. */
  unreadable: string | undefined;

  async now(): Promise<FrozenNow> {
    return this.unreadable === undefined
      ? { type: "known", freezes: this.freezes }
      : { type: "unreadable", why: this.unreadable };
  }
}
