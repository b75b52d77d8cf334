import type { Clock } from "@fleet-reloader/engine/async/clock";

/** A time in which a short wait takes nothing. The patience with servers, a second and more, is that of people. */
export function clockOfHaste(local: Clock): Clock {
  let skippedMs = 0;
  return {
    now: () => local.now(),
    monotonic: () => local.monotonic() + skippedMs,
    sleep(ms, signal) {
      if (ms >= 1000) return local.sleep(ms, signal);
      skippedMs += ms;
      return local.sleep(0, signal);
    },
  };
}
