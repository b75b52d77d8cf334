export type ReceiverMethods = {
  /** Listens for audit events of one cluster; resolves to the port. */
  readonly start: (options: {
    readonly redisUrl: string;
    readonly keyPem: string;
    readonly certificatePem: string;
    /** A line of the file of tokens. */
    readonly tokens: string;
  }) => Promise<number>;
  /** CPU seconds of this process so far. */
  readonly cpuSeconds: () => number;
};
