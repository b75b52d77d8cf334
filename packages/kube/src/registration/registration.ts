import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import type { ClusterTarget } from "../credentials/kubeconfig.ts";

/** One way to a cluster, as somebody registered it. Two registrations may lead to one cluster: that shows when it answers. */
export interface Registration {
  /** Stays the same while what is registered under it changes: provider, and where in it, as in `argocd#argocd/cluster-a`. */
  readonly id: string;
  /** What people call the cluster. */
  readonly name: string;
  /** Labels of the object it was registered with; they become labels of the cluster. */
  readonly labels: Labels;
  readonly access: Access;
}

/** What a registration lets us do. Every `why` names the file, Secret or field and the mend, and never a credential. */
export type Access =
  | {
      readonly type: "usable";
      readonly target: ClusterTarget;
      /** Equal versions mean the same address and credentials: what is engaged goes on undisturbed. Never shown. */
      readonly version: string;
      /** These namespaces only, without any cluster-wide right; undefined: what the settings say. */
      readonly namespaces?: readonly string[];
    }
  /** Somebody asked for the cluster to be left alone. */
  | { readonly type: "paused"; readonly why: string }
  /** It cannot be used as it is. An earlier version stays in use, if there is one. */
  | { readonly type: "unusable"; readonly why: string };

/** Where clusters come from. An error is never an empty fleet: a provider that cannot look keeps what it has seen. */
export interface ClusterProvider {
  /** Calls back with all registrations, at first and whenever one may have changed. Resolves when the signal is aborted. */
  run(signal: AbortSignal, onChange: (registrations: readonly Registration[]) => void): Promise<void>;
  /** Why it cannot report its registrations, a line each, for readiness. */
  readonly notReady: readonly string[];
  /** Its clusters were named to this process itself: without each of them it is not ready. Registered ones come and go. */
  readonly isNamed?: true;
}
