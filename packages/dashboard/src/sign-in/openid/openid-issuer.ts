import type { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { ClientAuth, Configuration } from "openid-client";
import type { IdentityIssuer, PendingSignIn } from "../identity-issuer.ts";
import type { IssuedPerson } from "../issued-person.ts";
import { type ClaimNames, personOfClaims } from "./claimed-person.ts";
import { createIssuerFetch } from "./issuer-fetch.ts";
import { discoveryFault, redemptionFault } from "./to-fault.ts";

/** An issuer, and how we are registered there. */
export interface OpenidIssuerOptions {
  readonly issuerUrl: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  readonly claims: ClaimNames;
  /** Authorities for its certificate, in PEM; undefined: those of Node. */
  readonly authorities: string | undefined;
  /** Timeout of each request to it, in seconds. */
  readonly askSeconds: number;
  readonly clock: Pick<Clock, "monotonic">;
}

type OpenidLibrary = typeof import("./openid-library.ts")["openidLibrary"];

/** An issuer after discovery. */
interface FoundIssuer {
  readonly library: OpenidLibrary;
  readonly configuration: Configuration;
  readonly atMs: number;
}

/** Maximum difference between clocks. Synchronised clocks differ less. */
const clockSkewSeconds = 60;
/** How long a discovery is kept. Addresses of an issuer seldom change, and an unknown key triggers a new read of its keys. */
const discoveryLivesMs = 3_600_000;
/** After a failed discovery, sign-ins fail at once for this long. The time doubles with each failure. */
const firstBackoffMs = 1000;
const longestBackoffMs = 30_000;

/**
 * Signs people in with an OpenID Connect issuer: authorization code, PKCE, state and nonce. The first sign-in sends the first request to the
 * issuer.
 */
export class OpenidIssuer implements IdentityIssuer {
  readonly #options: OpenidIssuerOptions;
  readonly host: string;
  #found: FoundIssuer | undefined;
  #finding: Promise<FoundIssuer> | undefined;
  #failed: { readonly fault: Fault; readonly waitMs: number; readonly againMs: number } | undefined;

  constructor(options: OpenidIssuerOptions) {
    this.#options = options;
    this.host = options.issuerUrl.host;
  }

  async begin({ path, redirectUrl }: Pick<PendingSignIn, "redirectUrl" | "path">) {
    const { configuration, library } = await this.#issuer();
    const [state, nonce] = [library.randomState(), library.randomNonce()];
    const verifier = library.randomPKCECodeVerifier();
    const address = library.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUrl,
      scope: [...new Set(["openid", ...this.#options.scopes])].join(" "),
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
      nonce,
    });
    return { pending: { state, nonce, verifier, redirectUrl, path }, address };
  }

  async redeem(
    query: URLSearchParams,
    { nonce, redirectUrl, state, verifier }: PendingSignIn,
  ): Promise<IssuedPerson> {
    const { configuration, library } = await this.#issuer();
    const address = new URL(redirectUrl);
    address.search = query.toString();
    try {
      const answer = await library.authorizationCodeGrant(configuration, address, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      return personOfClaims(answer.claims(), this.#options.claims);
    } catch (error) {
      throw redemptionFault(error, library);
    }
  }

  /** Discovers the issuer and keeps the answer; keeps a failure for a short time. */
  async #issuer(): Promise<FoundIssuer> {
    const nowMs = this.#options.clock.monotonic();
    if (this.#found !== undefined && nowMs - this.#found.atMs < discoveryLivesMs) return this.#found;
    if (this.#failed !== undefined && nowMs < this.#failed.againMs) throw this.#failed.fault;
    this.#finding ??= this.#find().finally(() => {
      this.#finding = undefined;
    });
    return await this.#finding;
  }

  async #find(): Promise<FoundIssuer> {
    const { clock } = this.#options;
    const { openidLibrary: library } = await import("./openid-library.ts");
    try {
      const configuration = await discover(library, this.#options);
      this.#found = { library, configuration, atMs: clock.monotonic() };
      this.#failed = undefined;
      return this.#found;
    } catch (error) {
      const waitMs = Math.min((this.#failed?.waitMs ?? firstBackoffMs / 2) * 2, longestBackoffMs);
      const fault = discoveryFault(error);
      this.#failed = { fault, waitMs, againMs: clock.monotonic() + waitMs };
      throw fault;
    }
  }
}

async function discover(library: OpenidLibrary, options: OpenidIssuerOptions): Promise<Configuration> {
  const { askSeconds, authorities, clientId, clientSecret, issuerUrl } = options;
  const isPlain = issuerUrl.protocol === "http:";
  return await library.discovery(
    issuerUrl,
    clientId,
    { [library.clockTolerance]: clockSkewSeconds },
    secretAuthentication(library, clientSecret),
    {
      [library.customFetch]: createIssuerFetch(authorities),
      timeout: askSeconds,
      // Verifies the signature of an ID token even though it came over TLS from the issuer.
      execute: [library.enableNonRepudiationChecks, ...(isPlain ? [library.allowInsecureRequests] : [])],
    },
  );
}

/** How the issuer wants the secret. If it does not say, the secret goes into the header (OpenID Connect Discovery, 3). */
function secretAuthentication(library: OpenidLibrary, secret: string): ClientAuth {
  const [basic, post] = [library.ClientSecretBasic(secret), library.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const isBasic = methods === undefined || methods.includes("client_secret_basic");
    (isBasic ? basic : post)(server, client, body, headers);
  };
}
