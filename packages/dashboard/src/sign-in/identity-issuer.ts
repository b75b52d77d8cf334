import type { IssuedPerson } from "./issued-person.ts";

/** One sign-in that is under way in a browser. Only that browser and we know it. */
export interface PendingSignIn {
  /** What the answer of the issuer has to repeat. */
  readonly state: string;
  /** What the ID token has to repeat. */
  readonly nonce: string;
  /** Of PKCE: shows that the code comes back from the browser that asked for it. */
  readonly verifier: string;
  /** Where the issuer sends the browser back to. */
  readonly redirectUrl: string;
  /** Where somebody wanted to go: one of ours. */
  readonly path: string;
}

/** Who knows people: an OpenID Connect issuer. */
export interface IdentityIssuer {
  /** As people know it. */
  readonly host: string;
  /** Begins a sign-in that leads to a path. Resolves to where the browser goes. Faults with `access.issuer-unavailable`. */
  begin(where: Pick<PendingSignIn, "redirectUrl" | "path">): Promise<{
    readonly pending: PendingSignIn;
    readonly address: URL;
  }>;
  /**
   * Who came back, with the query that the issuer gave them. Faults with `access.unauthenticated` when it says nobody,
   * `access.forbidden` when it says not enough, and `access.issuer-unavailable`.
   */
  redeem(query: URLSearchParams, pending: PendingSignIn): Promise<IssuedPerson>;
}
