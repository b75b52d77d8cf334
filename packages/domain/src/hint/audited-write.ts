import type { SourceRef, SourceWriter } from "../source/source.ts";

/** The sender of a request, as the API server knows it. No other part of a request identifies a person. */
export interface AuditedUser {
  readonly user: string;
  /** The user that `user` impersonated; undefined if it acted for itself. */
  readonly impersonated?: string;
  readonly groups: readonly string[];
  readonly userAgent: string;
}

/** A write of a source, as an API server reported it. */
export interface AuditedWrite {
  readonly source: SourceRef;
  /** The field manager under which the API server records a write of this client. */
  readonly manager: string;
  /** The write happened between these two times, in whole seconds of the API server's clock. */
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly by: AuditedUser;
}

/** Maximum duration of a request that changes something: the API server ends longer ones after a minute. */
export const requestMaxSeconds = 60;

/**
 * The people who may have made a write of a source, from the writes that an API server reported. A report does not name the resulting version,
 * so a report matches by source, field manager and second. If several people wrote in that second, all of them are returned.
 */
export function candidatesFor(
  { manager, atSeconds }: Pick<SourceWriter, "manager" | "atSeconds">,
  writes: readonly AuditedWrite[],
): readonly AuditedUser[] {
  const matching = writes.filter(
    (write) => write.manager === manager && write.fromSeconds <= atSeconds && atSeconds <= write.toSeconds,
  );
  return [...new Map(matching.map(({ by }) => [JSON.stringify(by), by])).values()];
}
