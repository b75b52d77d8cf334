import type { SourceRef, SourceWriter } from "../source/source.ts";

/** Who sent a request, as the API server knows it. Nothing else of a request says who a person is. */
export interface AuditedUser {
  readonly user: string;
  /** On whose behalf `user` acted; undefined where it acted for itself. */
  readonly impersonated?: string;
  readonly groups: readonly string[];
  readonly userAgent: string;
}

/** A write of a source that an API server reported. */
export interface AuditedWrite {
  readonly source: SourceRef;
  /** The field manager that the API server gives a write of this client. */
  readonly manager: string;
  /** The write happened between these two times, in whole seconds of the API server's clock. */
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly by: AuditedUser;
}

/** The longest request that may change anything: the API server ends others after a minute. */
export const requestMaxSeconds = 60;

/**
 * Who may have made a write of a source, from the writes that an API server reported. A report names no resulting version, so what
 * matches is the source, the field manager and the second. Several people may have written in one second; then all of them are named.
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
