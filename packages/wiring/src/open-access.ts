import { AccessControl } from "@fleet-reloader/dashboard/access/access-control";
import type { IssuerSignIn } from "@fleet-reloader/dashboard/sign-in/answer-issuer";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { FleetOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { RedisSessions } from "@fleet-reloader/redis/session/redis-sessions";
import { AccessFile } from "@fleet-reloader/runtime/access/access-file";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { dashboardFields } from "@fleet-reloader/runtime/config/fields/http-fields";
import { isLoopbackHost } from "@fleet-reloader/runtime/config/loopback";
import type { ListenTls } from "@fleet-reloader/runtime/http/listen-tls";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { openProxy, openSignIn } from "./open-sign-in.ts";

export interface OpenAccessOptions {
  readonly config: ConfigOf<typeof dashboardFields>;
  readonly log: Log;
}

/** What identifies callers. */
export interface KnowCallersOptions {
  readonly sessions: RedisSessions;
  readonly overview: Pick<FleetOverview, "clusters">;
  readonly notReady: () => readonly string[];
  /** Redis' own clock. */
  readonly clock: Clock;
}

/** The people and machines that may use a dashboard, and how it listens. */
export interface OpenAccess {
  /** The problems of the access file, a line each. */
  readonly notes: readonly string[];
  readonly tls: ListenTls;
  /** Undefined: nobody signs in. */
  control(options: KnowCallersOptions): AccessControl | undefined;
  /** The sign-in with an issuer; undefined: there is none. */
  issuerSignIn(clock: Pick<Clock, "now">): IssuerSignIn | undefined;
  close(): void;
}

const dashboardTlsFlags = {
  certFile: "--dashboard-tls-cert-file",
  keyFile: "--dashboard-tls-key-file",
  clientCaFile: "--forward-auth-client-ca-file",
} as const;

const unknownPeople =
  "--access-file: nobody is known as one of its groups, or as its people without tokens; give --oidc-issuer-url or --forward-auth-client-ca-file";

/** Reads the access file, if one is configured, and keeps watching it. Faults with `config.invalid` when it cannot be used. */
export async function openAccess({ config, log }: OpenAccessOptions): Promise<OpenAccess> {
  const { accessFile, dashboardAddress, dashboardTlsCertFile } = config;
  const issued = await openSignIn(config);
  const proxied = openProxy(config);
  const file = accessFile === "" ? undefined : await AccessFile.open(accessFile, log);
  const lifetime = new AbortController();
  void file?.watch(systemClock, lifetime.signal);
  const files = {
    certFile: dashboardTlsCertFile,
    keyFile: config.dashboardTlsKeyFile,
    clientCaFile: config.forwardAuthClientCaFile,
  };
  const isLocal = isLoopbackHost(dashboardAddress.host) && dashboardTlsCertFile === "";
  return {
    get notes() {
      const isUnknown = file?.needsIssuer === true && issued === undefined && proxied === undefined;
      return [...(file?.notes ?? []), ...(isUnknown ? [unknownPeople] : [])];
    },
    tls: { files, flags: dashboardTlsFlags, clock: systemClock, log },
    control({ clock, notReady, overview, sessions }) {
      if (file === undefined) return undefined;
      const subjects = () => file.subjects();
      return new AccessControl({
        subjects,
        sessions,
        issued: issued?.(clock).sessions,
        proxied,
        isLocal,
        overview,
        notReady,
        clock,
      });
    },
    issuerSignIn: (clock) => issued?.(clock).signIn,
    close: () => lifetime.abort(),
  };
}
