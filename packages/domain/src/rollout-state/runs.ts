import { jsonField } from "../json.ts";
import { over, progressing, type RolloutState } from "./rollout-state.ts";
import { readStatus } from "./status.ts";

/** A Job made anew: what matters is that it runs with the new content; how long it runs is its own business. */
export function jobState(object: unknown): RolloutState {
  const { spec, condition, count } = readStatus(object);
  const failed = ["Failed", "FailureTarget"].map(condition).find((one) => one?.status === "True");
  if (failed !== undefined)
    return { type: "failed", reason: "JobFailed", message: `${failed.reason ?? ""}: ${failed.message}` };
  if (["Complete", "SuccessCriteriaMet"].some((type) => condition(type)?.status === "True"))
    return over("Completed");
  if (jsonField(spec, "suspend") === true)
    return { type: "stalled", reason: "Paused", message: "spec.suspend is true" };
  return count("ready") > 0 ? over("Running") : progressing;
}
