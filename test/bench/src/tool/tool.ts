/** Something that rolls workloads, running as its own process. */
export interface Tool extends AsyncDisposable {
  readonly name: ToolName;
  /** Of the process to meter, with its children. */
  readonly pid: number;
  /** The unix socket of its Redis, when it has one. */
  readonly redisSocket: string | undefined;
  /** From the start of the process to the answer that it is in sync. */
  readonly readyMs: number;
  readonly stop: () => Promise<void>;
}

/** A process to start, to meter and to stop, whatever it is called. */
export type Program = Omit<Tool, "name">;

export type ToolName = "ours" | "peer model" | "floor";

/** The annotation that opts a workload in, another one for each tool: both can share a cluster. */
export const optInOf: Readonly<Record<ToolName, string>> = {
  ours: "reloader.stakater.com/auto",
  "peer model": "peer-model/auto",
  floor: "floor/auto",
};
