import type { IncomingMessage } from "node:http";

/** What somebody may do. Each may what the ones before it may. */
export type Role = "viewer" | "operator" | "admin";

/** The person or machine that asks or acts. */
export interface Caller {
  /** As the access file has it; empty where nobody signs in. */
  readonly name: string;
  /** Whether they have a role, or a higher one, in a place. An empty name of a place means all of them. */
  may(role: Role, place: { readonly cluster: string; readonly namespace: string }): boolean;
}

/**
 * Says who makes a request. Faults with `access.unauthenticated` when nobody does, and with `question.invalid` when the page of another
 * site makes it.
 */
export type IdentifyCaller = (request: IncomingMessage) => Promise<Caller>;
