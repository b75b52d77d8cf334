import type { ApiTarget } from "@fleet-reloader/testkit/api-client";

/** Requests a second, mixed: reads, lists and writes of its own ConfigMaps. */
export const bystanderRate = 50;

export interface BystanderRequest {
  readonly atSeconds: number;
  readonly ms: number;
}

export type BystanderMethods = {
  readonly open: (what: { readonly target: ApiTarget; readonly namespace: string }) => Promise<void>;
  /** At a steady pace for so long, or until told to rest; answers how long each request took. */
  readonly work: (what: { readonly seconds: number | undefined }) => Promise<readonly BystanderRequest[]>;
  readonly rest: () => void;
};
