import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import type { Stream } from "@fleet-reloader/engine/watch/cluster-streams";

/** A stream whose lists are answered with 503 until the cluster is mended. */
export function failingStream(stream: Stream, mended: Promise<void>): Stream {
  return {
    run: async (signal, onState) => {
      onState("listing", "start");
      onState("backoff", "answered 503");
      await Promise.race([mended, untilAborted(signal)]);
      await stream.run(signal, onState);
    },
  };
}
