export interface RequestCount {
  readonly requests: number;
  readonly responseBytes: number;
}

/** By verb and resource, such as `list configmaps`; all clients together. */
export type RequestCounts = ReadonlyMap<string, RequestCount>;

export interface SimAccess {
  readonly url: string;
  readonly token: string;
  readonly kubeconfig: string;
}

export type SimMethods = {
  readonly start: (options: { readonly controllers: boolean }) => Promise<SimAccess>;
  readonly requests: () => RequestCounts;
};
