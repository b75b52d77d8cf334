import type { CompilePattern } from "@fleet-reloader/domain/annotation/name-list";
import { parseCarried } from "@fleet-reloader/domain/carried/carried";
import { ourNote } from "@fleet-reloader/domain/carried/note";
import type { Keyring } from "@fleet-reloader/domain/keyring";
import type { Stand } from "@fleet-reloader/domain/kind/stand";
import type { Labels } from "@fleet-reloader/domain/label-selector";
import { isHeld } from "@fleet-reloader/domain/pause";
import { type Plan, plan } from "@fleet-reloader/domain/plan/plan";
import type { Sight } from "@fleet-reloader/domain/plan/sight";
import type { WorkloadKind } from "@fleet-reloader/domain/workload-kind";
import type { ClusterApi, LiveWorkload } from "../cluster-api.ts";
import { type Interest, patternsOf, readInterest } from "../interest.ts";
import { createNamespaceCheck } from "../namespace-scope.ts";
import type { Request } from "../request.ts";
import type { Settings } from "../settings.ts";
import type { ReadsAhead, SourceReader } from "../source-reader.ts";
import { servedKind, standOf } from "../stand-of.ts";
import type { Delivery } from "../workqueue.ts";

/** A cluster as a worker has it: how to talk to it, and since when it is watched. */
export interface EngagedCluster {
  /** What people call it: in logs and metrics. */
  readonly name: string;
  readonly api: ClusterApi;
  readonly engagedAtSeconds: number;
  /** Those it was registered with; none when absent. */
  readonly labels?: Labels;
}

/** One look at a workload, and all that a decision about it needs. */
export interface Reading {
  readonly request: Request;
  readonly delivery: Delivery;
  readonly cluster: EngagedCluster;
  readonly live: LiveWorkload;
  readonly kind: WorkloadKind;
  readonly interest: Interest;
  readonly note: string | undefined;
}

export interface Planned {
  readonly planned: Plan;
  readonly sights: readonly Sight[];
}

export interface Look extends Planned {
  readonly reading: Reading;
  readonly stand: Stand;
}

export interface LookOptions {
  readonly sources: SourceReader;
  readonly keys: Keyring;
  readonly sha1: (bytes: Uint8Array) => string;
  readonly compile: CompilePattern;
  readonly settings: Settings;
  readonly lifetime: AbortSignal;
}

/** What there is to decide on; a stash stands for the Job it replaces; `gone` and `ignored`: nothing can be decided. */
export type LookNow = (
  request: Request,
  delivery: Delivery,
  cluster: EngagedCluster,
) => Promise<Look | { readonly stash: LiveWorkload } | "gone" | "ignored">;

/** The reading half: the workload and its sources as they are now, and what follows from them. Writes nothing. */
export function createLook(options: LookOptions): LookNow {
  const { sources } = options;
  const isServed = createNamespaceCheck(options.settings.scope, options.lifetime);

  return async function lookNow(request, delivery, cluster) {
    const { api } = cluster;
    const kind = servedKind(request.workload.kind, options.settings);
    // Left over from when it was served.
    if (kind === undefined) return "ignored";
    const ahead = sources.readAhead(api, request.workload);
    const [live, isInScope] = await Promise.all([
      api.readWorkload(request.workload, delivery.signal),
      isServed(api, request.workload.namespace),
    ]);
    if (live === undefined || live.isDeleting) return "gone";
    const stand = standOf(live, options.settings);
    if (stand === "stash") return { stash: live };
    // A pause that was begun while the namespace was served has to end all the same.
    if (!isInScope && !isHeld(live, options.settings.dialect)) return "ignored";
    const interest = readInterest(live, options.settings, options.compile);
    const note = ourNote(live.annotations, options.keys);
    const reading: Reading = { request, delivery, cluster, live, kind, interest, note };
    return { reading, stand, ...(isInScope ? await planNow(reading, stand, ahead) : leftAlone(note)) };
  };

  async function planNow(
    { cluster, live, interest, note }: Reading,
    stand: Stand,
    ahead: ReadsAhead,
  ): Promise<Planned> {
    const { api, engagedAtSeconds } = cluster;
    const carried = parseCarried(note);
    const sights = stand === "owned" ? [] : await sources.look({ api, live, interest, note, carried, ahead });
    const planned = plan({
      workload: { ...live, parsed: interest.template },
      carried,
      sights,
      patterns: patternsOf(interest),
      rules: options.settings,
      keys: options.keys,
      sha1: options.sha1,
      engagedAtSeconds,
    });
    return { planned, sights };
  }
}

/** What a namespace that is not served leaves to decide: nothing, and the note stays. */
function leftAlone(note: string | undefined): Planned {
  return { planned: { type: "record", carried: parseCarried(note) }, sights: [] };
}
