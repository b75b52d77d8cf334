import type { AccessProvider } from "@fleet-reloader/domain/registration/access-provider";
import type { SecretPreset } from "@fleet-reloader/domain/registration/secret-preset";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import { type ClusterTarget, selectTargets } from "../credentials/kubeconfig.ts";
import { ApiResources } from "../discovery/api-resources.ts";
import { RevisionProbe } from "../discovery/revision-probe.ts";
import type { CallRecord } from "../http/call-record.ts";
import { Connection } from "../http/connection.ts";
import type { RegistrationPolicy } from "./access.ts";
import { Announcer } from "./announced.ts";
import { createKubeconfigDirectory } from "./directory/kubeconfig-directory.ts";
import { createGivenClusters } from "./given.ts";
import { createArgocdSecrets } from "./hub/argocd-secrets.ts";
import { createClusterProfiles } from "./hub/cluster-profiles.ts";
import type { Hub } from "./hub/hub.ts";
import { createKubeconfigSecrets } from "./hub/kubeconfig-secrets.ts";
import type { ClusterProvider } from "./registration.ts";

/** The configured sources of registrations. An undefined namespace means all. */
export interface RegistrationSources extends RegistrationPolicy {
  readonly kubeconfigFiles: readonly string[];
  readonly contexts: readonly string[];
  /** Somebody named the kubeconfig; otherwise it is used only when nothing else is configured. */
  readonly isKubeconfigGiven: boolean;
  readonly kubeconfigDirs: readonly string[];
  readonly clusterSecrets: readonly {
    readonly preset: SecretPreset;
    readonly namespace: string | undefined;
  }[];
  readonly argocdNamespace: string | undefined;
  readonly clusterProfiles: { readonly namespace: string | undefined } | undefined;
  readonly accessProviders: readonly AccessProvider[];
  /** Undefined: it is served if it is needed as the hub, or if there is no folder. */
  readonly serveHub: boolean | undefined;
}

export interface RegistrationOptions {
  readonly sources: RegistrationSources;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Pick<Meter, "registrations">;
  readonly onCall?: ((record: CallRecord) => void) | undefined;
  /** Whether a cluster of this name is wanted. The credentials of others are not read if the hub shows the name without them. */
  readonly isWanted?: (name: string) => boolean;
}

export interface OpenRegistration {
  /** In the order of their precedence: clusters that the operator names directly come first. */
  readonly providers: readonly ClusterProvider[];
  /** The given clusters, which never change. */
  readonly given: readonly ClusterTarget[];
  /** There may be more than one cluster. */
  readonly isFleet: boolean;
  /** One line for each unused registration, for people. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}

/**
 * All configured providers. The hub, whose objects register clusters, is the first given cluster: the current context, or the cluster this
 * process runs in. Faults with `config.invalid` when a cluster is needed and none is given.
 */
export function openRegistration(options: RegistrationOptions): OpenRegistration {
  const { clock, isWanted, log, meter, sources } = options;
  const needsHub = hasHubSources(sources);
  const targets = targetsOf(sources);
  const given = needsHub && sources.serveHub === false ? targets.slice(1) : targets;
  const hub = needsHub ? hubOf(targets[0], options) : undefined;
  const announcer = new Announcer(log, meter);
  const ofHub = hub === undefined ? [] : hubProviders(hub, sources, announcer, isWanted);
  const ofGiven = announcer.announced("given", createGivenClusters(given));
  return {
    providers: [ofGiven, ...directoryProviders(sources, clock, announcer), ...ofHub],
    given,
    isFleet: needsHub || sources.kubeconfigDirs.length > 0 || given.length > 1,
    get notes() {
      return announcer.notes;
    },
    close: async () => await hub?.connection.close(),
  };
}

/** Whether objects of a hub register clusters. */
function hasHubSources({ argocdNamespace, clusterProfiles, clusterSecrets }: RegistrationSources): boolean {
  return clusterSecrets.length > 0 || argocdNamespace !== undefined || clusterProfiles !== undefined;
}

/** The clusters of the kubeconfig. When only directories are named, there are none. */
function targetsOf(sources: RegistrationSources): readonly ClusterTarget[] {
  return hasOnlyFolders(sources) ? [] : selectTargets(sources.kubeconfigFiles, sources.contexts);
}

/** Whether only folders register clusters: neither the kubeconfig nor the cluster we run in is served. */
export function hasOnlyFolders(sources: RegistrationSources): boolean {
  const { isKubeconfigGiven, kubeconfigDirs, serveHub } = sources;
  return kubeconfigDirs.length > 0 && !(hasHubSources(sources) || isKubeconfigGiven || serveHub === true);
}

function directoryProviders(
  sources: RegistrationSources,
  clock: Clock,
  announcer: Announcer,
): readonly ClusterProvider[] {
  return sources.kubeconfigDirs.map((directory) =>
    announcer.announced("directory", createKubeconfigDirectory({ directory, clock, ...policyOf(sources) })),
  );
}

function hubOf(target: ClusterTarget | undefined, options: RegistrationOptions): Hub | undefined {
  if (target === undefined) return undefined;
  const { userAgent, clock, random, onCall } = options;
  const connection = new Connection({ target, userAgent, clock, onCall });
  const log = options.log.child({ hub: target.name });
  const probe = new RevisionProbe({ connection, clock, log });
  return { target, connection, probe, resources: new ApiResources(connection), clock, random, log };
}

function hubProviders(
  hub: Hub,
  sources: RegistrationSources,
  announcer: Announcer,
  isWanted: (name: string) => boolean = () => true,
): readonly ClusterProvider[] {
  const { accessProviders, argocdNamespace, clusterProfiles, clusterSecrets } = sources;
  const policy = policyOf(sources);
  const providers = clusterSecrets.map(({ namespace, preset }) =>
    announcer.announced(
      preset.name,
      createKubeconfigSecrets({ preset, namespace, hub, isWanted, ...policy }),
    ),
  );
  if (argocdNamespace !== undefined) {
    const secrets = createArgocdSecrets({ hub, namespace: argocdNamespace, ...policy });
    providers.push(announcer.announced("argocd", secrets));
  }
  if (clusterProfiles !== undefined) {
    const { namespace } = clusterProfiles;
    const profiles = createClusterProfiles({ hub, namespace, accessProviders, isWanted, ...policy });
    providers.push(announcer.announced("cluster-profile", profiles));
  }
  return providers;
}

function policyOf({ allowExec, allowLoopbackHttp }: RegistrationPolicy): RegistrationPolicy {
  return { allowExec, allowLoopbackHttp };
}
