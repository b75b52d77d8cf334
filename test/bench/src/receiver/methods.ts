export type ReceiverMethods = {
  /** Listens for audit events of one cluster; resolves to the port. */
  readonly start: (options: {
    readonly redisUrl: string;
    readonly keyPem: string;
    readonly certificatePem: string;
    /** A line of the file of tokens. */
    readonly tokens: string;
  }) => Promise<number>;
  /** Listens for bodies, parses each as JSON and drops it; resolves to the port. */
  readonly startBare: (tls: { readonly keyPem: string; readonly certificatePem: string }) => Promise<number>;
  /** From now on it is noted when the last hint of each key was stored. */
  readonly timeHints: () => void;
  /** By the key of the hint, in milliseconds since the epoch. */
  readonly storedAt: () => ReadonlyMap<string, number>;
  /** CPU seconds of this process so far. */
  readonly cpuSeconds: () => number;
};
