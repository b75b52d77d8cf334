import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import type { ClusterTarget } from "../credentials/kubeconfig.ts";

/** One way to a cluster, as somebody registered it. Two registrations may lead to one cluster, which shows only when it answers. */
export interface Registration {
  /** Stays the same while the registration changes: the provider and the place in it, as in `argocd#argocd/cluster-a`. */
  readonly id: string;
  /** What people call the cluster. */
  readonly name: string;
  /** Labels of the object that registers it; they become labels of the cluster. */
  readonly labels: Labels;
  readonly access: Access;
}

/** How a registration lets us reach the cluster. Every `why` names the file, Secret or field and the mend, and never a credential. */
export type Access =
  | {
      readonly type: "usable";
      readonly target: ClusterTarget;
      /** Equal versions mean equal address and credentials: an engagement continues undisturbed. Never shown. */
      readonly version: string;
      /** Only these namespaces, without any cluster-wide right; undefined: as the settings say. */
      readonly namespaces?: readonly string[];
    }
  /** Somebody wants the cluster left alone. */
  | { readonly type: "paused"; readonly why: string }
  /** The present version cannot be used. An earlier version stays in use, if there is one. */
  | { readonly type: "unusable"; readonly why: string };

/** A source of registrations. An error is never an empty fleet: a provider that cannot read keeps what it has seen. */
export interface ClusterProvider {
  /** Calls back with all registrations, first and whenever one may have changed. Resolves when the signal is aborted. */
  run(signal: AbortSignal, onChange: (registrations: readonly Registration[]) => void): Promise<void>;
  /** Why it cannot report its registrations, a line each, for readiness. */
  readonly notReady: readonly string[];
  /** Its clusters were named to this process itself, which is not ready without each of them. Registered ones come and go. */
  readonly isNamed?: true;
}
