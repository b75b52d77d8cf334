import type { IncomingMessage } from "node:http";

/** What a caller may do. Each role includes the ones before it. */
export type Role = "viewer" | "operator" | "admin";

/** The person or machine that sends a request. */
export interface Caller {
  /** The name in the access file; empty without sign-in. */
  readonly name: string;
  /** Whether they have this role, or a higher one, in a place. An empty name means all clusters or all namespaces. */
  may(role: Role, place: { readonly cluster: string; readonly namespace: string }): boolean;
}

/**
 * Identifies the caller of a request. Faults with `access.unauthenticated` when it names nobody, and with `question.invalid` when the page of
 * another site makes it.
 */
export type IdentifyCaller = (request: IncomingMessage) => Promise<Caller>;
