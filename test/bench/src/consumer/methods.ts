export type ConsumerMethods = {
  readonly start: (options: { readonly redisUrl: string; readonly concurrency: number }) => void;
  /** From the addition of each request to its hand-over, in ms, since the last `forget`. Names tell when they were added. */
  readonly latencies: () => readonly number[];
  readonly forget: () => void;
};
