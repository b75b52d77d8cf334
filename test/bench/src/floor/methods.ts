import type { ApiTarget } from "@fleet-reloader/testkit/api-client";

export type FloorMethods = {
  /** Resolves when the ConfigMaps of the namespace are watched; each rolls the Deployment of its name. */
  readonly start: (options: { readonly target: ApiTarget; readonly namespace: string }) => Promise<void>;
};
