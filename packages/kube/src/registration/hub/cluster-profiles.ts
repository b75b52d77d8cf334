import type { AccessProvider } from "@fleet-reloader/domain/registration/access-provider";
import { mapBounded } from "@fleet-reloader/engine/async/map-bounded";
import type { StreamHandler } from "@fleet-reloader/engine/ports/source-stream";
import type { Stream } from "@fleet-reloader/engine/watch/cluster-streams";
import type { ResourceKind } from "../../discovery/api-resources.ts";
import type { RegistrationPolicy } from "../access.ts";
import type { Access, ClusterProvider, Registration } from "../registration.ts";
import {
  accessOfProfile,
  type ClusterProfile,
  type CredentialPlace,
  clusterProfile,
  placeOf,
} from "./cluster-profile.ts";
import type { Hub } from "./hub.ts";
import { createHubProvider } from "./hub-provider.ts";
import { type HubSecret, readSecret, secretReadsAtOnce, secretStream } from "./hub-secrets.ts";
import { optionalHubStream } from "./hub-streams.ts";
import { KeptObjects } from "./kept-objects.ts";

export interface ClusterProfilesOptions extends Pick<RegistrationPolicy, "allowLoopbackHttp"> {
  readonly hub: Hub;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** In order of preference. */
  readonly accessProviders: readonly AccessProvider[];
  /** By the name of the cluster: Secrets of unwanted profiles are not read. Absent: all are wanted. */
  readonly isWanted?: (name: string) => boolean;
}

const profileKind: ResourceKind = {
  apiKind: "ClusterProfile",
  group: "multicluster.x-k8s.io",
  version: "v1alpha1",
  plural: "clusterprofiles",
  isOptional: true,
};

/** Clusters of the hub's inventory whose credentials are in Secrets beside it. */
export function createClusterProfiles(options: ClusterProfilesOptions): ClusterProvider {
  const { accessProviders, allowLoopbackHttp, hub, namespace } = options;
  const profiles = new KeptObjects<ClusterProfile>();
  const secrets = createProfileSecrets(hub, accessProviders, profiles);
  const accessOf = createProfileAccess({ accessProviders, allowLoopbackHttp }, secrets.kept);
  const stream: Stream = {
    run: (signal, onState) =>
      profileStream(options, profileHandler(profiles, secrets, signal)).run(signal, (state, why) => {
        onState(state, why);
        if (state === "absent") secrets.forgetOthers();
      }),
  };
  const collections = [
    { named: "ClusterProfiles", stream, kept: profiles },
    {
      named: "Secrets of ClusterProfiles",
      stream: secretStream(hub, { namespace, isWanted: secrets.isWanted }, (secret) => secret, secrets.kept),
      kept: secrets.kept,
    },
  ];
  return createHubProvider(hub.target.name, collections, () =>
    profiles.all.map((profile): Registration => {
      const { key, labels } = profile;
      const access = accessOf(profile);
      return { id: `cluster-profile#${key}`, name: profileName(profile, namespace), labels, access };
    }),
  );
}

type ProfileSecrets = ReturnType<typeof createProfileSecrets>;

/** The Secrets that profiles name; no other Secret's content is read. */
function createProfileSecrets(
  hub: Hub,
  accessProviders: readonly AccessProvider[],
  profiles: KeptObjects<ClusterProfile>,
) {
  const kept = new KeptObjects<HubSecret>();
  let wanted = new Set<string>();
  const isWanted = ({ key }: { readonly key: string }): boolean => wanted.has(key);
  return {
    kept,
    isWanted,
    /** The stream skipped the Secret while no profile named it, so it is read on its own. */
    async want(profile: ClusterProfile, signal: AbortSignal): Promise<void> {
      const place = placeOf(profile, accessProviders);
      if ("problem" in place) return;
      const key = profileKeyOf(place);
      if (wanted.has(key) && kept.get(key) !== undefined) return;
      wanted.add(key);
      const meta = { key, namespace: place.namespace, name: place.secret, labels: {}, annotations: {} };
      const secret = await readSecret(hub.connection, meta, signal);
      if (secret !== undefined) kept.put(secret);
    },
    /** Drops Secrets that no profile names any more, since their content is a credential. */
    forgetOthers(): void {
      const places = profiles.all.map((profile) => placeOf(profile, accessProviders));
      wanted = new Set(places.flatMap((place) => ("problem" in place ? [] : [profileKeyOf(place)])));
      kept.keepOnly(isWanted);
    },
  };
}

/** Reads the Secrets of profiles before the profiles themselves are stored. */
function profileHandler(
  profiles: KeptObjects<ClusterProfile>,
  secrets: ProfileSecrets,
  signal: AbortSignal,
): StreamHandler<ClusterProfile> {
  return {
    listBegins: () => profiles.listBegins(),
    async page(found) {
      await mapBounded(found, secretReadsAtOnce, (profile) => secrets.want(profile, signal));
      await profiles.page(found);
    },
    async listed() {
      await profiles.listed();
      secrets.forgetOthers();
    },
    async events(events) {
      const present = events.filter(({ type }) => type === "upsert");
      await mapBounded(present, secretReadsAtOnce, ({ object }) => secrets.want(object, signal));
      await profiles.events(events);
      secrets.forgetOthers();
    },
  };
}

interface DerivedAccess {
  readonly secret: HubSecret | undefined;
  readonly access: Access;
}

/** The access of a profile through its Secret. It is cached while both stay the same, since each change derives all profiles again. */
function createProfileAccess(
  {
    accessProviders,
    allowLoopbackHttp,
  }: Pick<ClusterProfilesOptions, "accessProviders" | "allowLoopbackHttp">,
  secrets: KeptObjects<HubSecret>,
): (profile: ClusterProfile) => Access {
  const derived = new WeakMap<ClusterProfile, DerivedAccess>();
  return (profile) => {
    const place = placeOf(profile, accessProviders);
    if ("problem" in place)
      return { type: "unusable", why: `ClusterProfile ${profile.key}: ${place.problem}` };
    const secret = secrets.get(profileKeyOf(place));
    const before = derived.get(profile);
    if (before !== undefined && before.secret === secret) return before.access;
    const access = accessOfProfile(profile, place, { secret, allowLoopbackHttp });
    derived.set(profile, { secret, access });
    return access;
  };
}

function profileKeyOf({ namespace, secret }: CredentialPlace): string {
  return `${namespace}/${secret}`;
}

/** Over all namespaces the short name need not be unique. */
function profileName({ key, name }: ClusterProfile, namespace: string | undefined): string {
  return namespace === undefined ? key : name;
}

function profileStream(options: ClusterProfilesOptions, handler: StreamHandler<ClusterProfile>): Stream {
  const { hub, isWanted = () => true, namespace } = options;
  const { resources } = hub;
  const parse = (object: unknown): ClusterProfile | undefined => {
    const profile = clusterProfile(object);
    return profile !== undefined && isWanted(profileName(profile, namespace)) ? profile : undefined;
  };
  return optionalHubStream(hub, { kind: profileKind, resources, namespace, parse, handler });
}
