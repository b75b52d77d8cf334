import { readFile } from "node:fs/promises";
import type { IssuerSignIn } from "@fleet-reloader/dashboard/sign-in/answer-issuer";
import type { IdentityIssuer } from "@fleet-reloader/dashboard/sign-in/identity-issuer";
import { IssuedSessions } from "@fleet-reloader/dashboard/sign-in/issued-sessions";
import { OpenidIssuer } from "@fleet-reloader/dashboard/sign-in/openid/openid-issuer";
import { PendingSignIns } from "@fleet-reloader/dashboard/sign-in/pending-sign-ins";
import { TextSeal } from "@fleet-reloader/dashboard/sign-in/text-seal";
import { createTrustedProxy } from "@fleet-reloader/dashboard/sign-in/trusted-proxy";
import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { dashboardFields } from "@fleet-reloader/runtime/config/fields/http-fields";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";

type SignInConfig = ConfigOf<typeof dashboardFields>;

/** The sign-in with an issuer, and the reader of its sessions. */
export interface OpenSignIn {
  readonly signIn: IssuerSignIn;
  readonly sessions: IssuedSessions;
}

/** A person waits for the issuer in a browser. */
const issuerAskSeconds = 10;
/** Anybody with a session could guess a short secret offline. Issuers create longer ones. */
const secretLengthMin = 16;

/**
 * Creates the sign-in with an issuer, by Redis' clock; undefined when there is no issuer. The issuer is not contacted yet. Faults with
 * `config.invalid` when a flag or a file is missing.
 */
export async function openSignIn(
  config: SignInConfig,
): Promise<((clock: Pick<Clock, "now">) => OpenSignIn) | undefined> {
  const { oidcClientId, oidcIssuerUrl, oidcRedirectUrl } = config;
  if (oidcIssuerUrl === undefined) {
    if (oidcClientId !== "" || oidcRedirectUrl !== undefined)
      throw new Fault(
        "config.invalid",
        "--oidc-issuer-url is missing: the other --oidc flags are about an issuer; write its address, or leave them out",
      );
    return undefined;
  }
  assertGiven("--oidc-issuer-url", {
    "--access-file": config.accessFile,
    "--oidc-client-id": oidcClientId,
    "--oidc-client-secret-file": config.oidcClientSecretFile,
  });
  const clientSecret = await readClientSecret(config.oidcClientSecretFile);
  const issuer = await openIssuer(config, oidcIssuerUrl, clientSecret);
  const sealOf = (purpose: string) => new TextSeal(clientSecret, purpose, oidcIssuerUrl.href, oidcClientId);
  return (clock) => ({
    signIn: {
      issuer,
      pending: new PendingSignIns(sealOf("sign-in"), clock),
      redirectUrl: oidcRedirectUrl,
    },
    sessions: new IssuedSessions(sealOf("session"), clock),
  });
}

const proxyCaMissing =
  "--forward-auth-client-ca-file is missing: anybody could send the headers of a proxy; give the authority of its certificate, or let people sign in with --oidc-issuer-url";

/** Reads the caller from the headers of a proxy; undefined when no proxy is trusted. Faults with `config.invalid`. */
export function openProxy(config: SignInConfig): ReturnType<typeof createTrustedProxy> | undefined {
  const { forwardAuthClientCaFile, forwardAuthGroupsHeader, forwardAuthProxyNames, forwardAuthUserHeader } =
    config;
  if (forwardAuthClientCaFile === "") {
    if (forwardAuthProxyNames.length === 0) return undefined;
    throw new Fault("config.invalid", proxyCaMissing);
  }
  assertGiven("--forward-auth-client-ca-file", {
    "--access-file": config.accessFile,
    "--dashboard-tls-cert-file": config.dashboardTlsCertFile,
    "--forward-auth-proxy-names": forwardAuthProxyNames.join(),
  });
  return createTrustedProxy({
    names: forwardAuthProxyNames,
    userHeader: forwardAuthUserHeader,
    groupsHeader: forwardAuthGroupsHeader,
  });
}

function assertGiven(flag: string, needed: Readonly<Record<string, string>>): void {
  const missing = Object.keys(needed).filter((name) => needed[name] === "");
  if (missing.length === 0) return;
  throw new Fault(
    "config.invalid",
    `${flag} needs ${missing.join(" and ")}: give ${missing.length > 1 ? "them" : "it"} too, or leave ${flag} out`,
  );
}

async function openIssuer(
  config: SignInConfig,
  issuerUrl: URL,
  clientSecret: string,
): Promise<IdentityIssuer> {
  const { oidcCaFile, oidcClientId, oidcGroupsClaim, oidcScopes, oidcUsernameClaim } = config;
  const authorities = oidcCaFile === "" ? undefined : await readGiven("--oidc-ca-file", oidcCaFile);
  return new OpenidIssuer({
    issuerUrl,
    clientId: oidcClientId,
    clientSecret,
    scopes: oidcScopes.length === 0 ? ["profile", "email"] : oidcScopes,
    claims: { username: oidcUsernameClaim, groups: oidcGroupsClaim },
    authorities,
    askSeconds: issuerAskSeconds,
    clock: systemClock,
  });
}

async function readClientSecret(file: string): Promise<string> {
  const flag = "--oidc-client-secret-file";
  const secret = (await readGiven(flag, file)).trim();
  if (secret.length >= secretLengthMin) return secret;
  throw new Fault(
    "config.invalid",
    `${flag} ${file}: it has fewer than ${secretLengthMin} characters; let the issuer make a longer secret`,
  );
}

async function readGiven(flag: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new Fault(
      "config.invalid",
      `${flag} ${file}: cannot be read (${why}); give a file that this process may read`,
    );
  }
}
