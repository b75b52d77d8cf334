import type { AccessProvider } from "@fleet-reloader/domain/registration/access-provider";
import type { StreamHandler } from "@fleet-reloader/engine/ports/source-stream";
import type { Stream } from "@fleet-reloader/engine/watch/cluster-streams";
import type { ResourceKind } from "../../discovery/api-resources.ts";
import { OptionalStream } from "../../watch/optional-stream.ts";
import { Reflector } from "../../watch/reflector.ts";
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
import { type HubSecret, readSecret, secretStream } from "./hub-secrets.ts";
import { inBatches } from "./in-batches.ts";
import { KeptObjects } from "./kept-objects.ts";

export interface ClusterProfilesOptions extends Pick<RegistrationPolicy, "allowLoopbackHttp"> {
  readonly hub: Hub;
  /** Undefined: all. */
  readonly namespace: string | undefined;
  /** In the order of preference. */
  readonly accessProviders: readonly AccessProvider[];
}

const kind: ResourceKind = {
  ...{ apiKind: "ClusterProfile", group: "multicluster.x-k8s.io", version: "v1alpha1" },
  plural: "clusterprofiles",
  isOptional: true,
};

/** Clusters that are in the hub's inventory, and whose credentials lie in Secrets beside it. */
export function createClusterProfiles(options: ClusterProfilesOptions): ClusterProvider {
  const { hub, namespace } = options;
  const profiles = new KeptObjects<ClusterProfile>();
  const secrets = new KeptObjects<HubSecret>();
  /** Keys of the Secrets that profiles name; of no other is the content asked for. */
  let wanted = new Set<string>();
  /** What a profile came to with its Secret, while both are what they were: each change tells of all, and to read them all anew is costly. */
  const derived = new WeakMap<
    ClusterProfile,
    { readonly secret: HubSecret | undefined; readonly access: Access }
  >();
  const isWanted = ({ key }: { readonly key: string }): boolean => wanted.has(key);

  /** Its Secret was passed over as long as nobody wanted it: it is read by itself once. */
  async function wantSecretOf(profile: ClusterProfile, signal: AbortSignal): Promise<void> {
    const place = placeOf(profile, options.accessProviders);
    if ("problem" in place) return;
    const key = keyOf(place);
    if (wanted.has(key) && secrets.get(key) !== undefined) return;
    wanted.add(key);
    const meta = { key, namespace: place.namespace, name: place.secret, labels: {}, annotations: {} };
    const secret = await readSecret(hub, meta, signal);
    if (secret !== undefined) secrets.put(secret);
  }

  /** What no profile names any more is no business of ours, and its content is a credential. */
  function forgetOthers(): void {
    const places = profiles.all.map((profile) => placeOf(profile, options.accessProviders));
    wanted = new Set(places.flatMap((place) => ("problem" in place ? [] : [keyOf(place)])));
    secrets.keepOnly(isWanted);
  }

  const stream: Stream = {
    run(signal, onState) {
      const handler: StreamHandler<ClusterProfile> = {
        listBegins: () => profiles.listBegins(),
        async page(found) {
          await inBatches(found, (profile) => wantSecretOf(profile, signal));
          await profiles.page(found);
        },
        async listed() {
          await profiles.listed();
          forgetOthers();
        },
        async events(events) {
          const there = events.filter(({ type }) => type === "upsert");
          await inBatches(there, ({ object }) => wantSecretOf(object, signal));
          await profiles.events(events);
          forgetOthers();
        },
      };
      return profileStream(hub, namespace, handler).run(signal, (state, why) => {
        onState(state, why);
        if (state === "absent") forgetOthers();
      });
    },
  };
  const collections = [
    { named: "ClusterProfiles", stream, kept: profiles },
    {
      named: "Secrets of ClusterProfiles",
      stream: secretStream(hub, { namespace, isWanted }, (secret) => secret, secrets),
      kept: secrets,
    },
  ];
  return createHubProvider(hub.target.name, collections, () =>
    profiles.all.map((profile): Registration => {
      const { key, name, labels } = profile;
      const access = accessThrough(profile);
      return { id: `cluster-profile#${key}`, name: namespace === undefined ? key : name, labels, access };
    }),
  );

  function accessThrough(profile: ClusterProfile): Access {
    const place = placeOf(profile, options.accessProviders);
    if ("problem" in place)
      return { type: "unusable", why: `ClusterProfile ${profile.key}: ${place.problem}` };
    const secret = secrets.get(keyOf(place));
    const before = derived.get(profile);
    if (before !== undefined && before.secret === secret) return before.access;
    const access = accessOfProfile(profile, place, { secret, allowLoopbackHttp: options.allowLoopbackHttp });
    derived.set(profile, { secret, access });
    return access;
  }
}

function keyOf({ namespace, secret }: CredentialPlace): string {
  return `${namespace}/${secret}`;
}

function profileStream(
  hub: Hub,
  namespace: string | undefined,
  handler: StreamHandler<ClusterProfile>,
): Stream {
  return new OptionalStream({
    ...hub,
    kind,
    reflect: (resource) =>
      new Reflector({
        ...hub,
        collection: { ...resource, ...(namespace === undefined ? {} : { namespace }), metadataOnly: false },
        parse: clusterProfile,
        handler,
      }),
  });
}
