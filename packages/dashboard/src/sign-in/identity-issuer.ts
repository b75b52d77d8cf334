import type { IssuedPerson } from "./issued-person.ts";

/** A pending sign-in of one browser. Only that browser and we know it. */
export interface PendingSignIn {
  /** The issuer's answer has to repeat it. */
  readonly state: string;
  /** The ID token has to repeat it. */
  readonly nonce: string;
  /** PKCE: proves that the code comes from the browser that began the sign-in. */
  readonly verifier: string;
  /** The address to which the issuer sends the browser back. */
  readonly redirectUrl: string;
  /** The path on our site that the person wanted to open. */
  readonly path: string;
}

/** An OpenID Connect issuer, which identifies people. */
export interface IdentityIssuer {
  /** The host, as people know it. */
  readonly host: string;
  /** Begins a sign-in that ends at a path. Resolves to the address for the browser. Faults with `access.issuer-unavailable`. */
  begin(where: Pick<PendingSignIn, "redirectUrl" | "path">): Promise<{
    readonly pending: PendingSignIn;
    readonly address: URL;
  }>;
  /**
   * The person who came back with this query of the issuer. Faults with `access.unauthenticated` when it names nobody, with `access.forbidden`
   * when it says too little, and with `access.issuer-unavailable`.
   */
  redeem(query: URLSearchParams, pending: PendingSignIn): Promise<IssuedPerson>;
}
