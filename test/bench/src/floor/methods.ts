import type { ApiTarget } from "@fleet-reloader/testkit/api-client";

export interface FloorOptions {
  readonly target: ApiTarget;
  readonly namespace: string;
  /** Whether it reads both objects before it writes, on condition that nothing changed since. */
  readonly reads: boolean;
}

export type FloorMethods = {
  /** Resolves when the ConfigMaps of the namespace are watched; each rolls the Deployment of its name. */
  readonly start: (options: FloorOptions) => Promise<void>;
};
