import { jsonField } from "../json.ts";
import { over, progressing, type RolloutState } from "./rollout-state.ts";
import { readStatus } from "./status.ts";

/** A recreated Job only has to start with the new content. Its duration does not matter. */
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
