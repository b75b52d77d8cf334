import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import type { Stream } from "@fleet-reloader/engine/watch/cluster-streams";

/** A stream whose lists are answered with 503, or refused, until the cluster is mended. */
export function failingStream(
  stream: Stream,
  mended: Promise<void>,
  state: "backoff" | "blocked" = "backoff",
): Stream {
  return {
    run: async (signal, onState) => {
      onState("listing", "start");
      onState(state, state === "backoff" ? "answered 503" : "answered 403");
      await Promise.race([mended, untilAborted(signal)]);
      await stream.run(signal, onState);
    },
  };
}
