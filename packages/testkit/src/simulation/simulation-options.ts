import type { Mutation } from "./mutation.ts";

export interface SimulationOptions {
  /** The wall clocks of machines differ by up to a minute. */
  readonly isSkewed: boolean;
  /** How likely a write arrives after all that its caller has given up. */
  readonly lateChance: number;
  /** Each workload that opts in is audited once in this time. Absent: never. */
  readonly auditIntervalMs?: number;
  /** One rule of the product is taken out. */
  readonly mutation?: Mutation;
}
