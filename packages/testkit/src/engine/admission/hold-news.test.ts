import type { RollHold } from "@fleet-reloader/engine/admission/brakes";
import { HoldNews } from "@fleet-reloader/engine/admission/hold-news";
import { expect, test } from "vitest";
import { ManualClock } from "../../memory/manual-clock.ts";

const request = { cluster: "nova", workload: { kind: "Deployment", namespace: "ns", name: "api" } };
const hold: RollHold = {
  ...{ type: "hold", reason: "BudgetUnfinished", why: "two rollouts are unfinished", afterMs: 1000 },
  details: "unfinished: Deployment/ns/slow of nova",
};

test("a hold is stuck after a minute for the same reasons, and that is told once", async () => {
  const clock = new ManualClock();
  const news = new HoldNews(clock);
  const told: unknown[] = [];
  for (let look = 0; look < 6; look += 1) {
    told.push(news.of(request, hold));
    await clock.advance(30_000);
  }
  expect(told).toEqual(["begins", undefined, "stuck", undefined, undefined, undefined]);
});

// Another worker rolled it meanwhile, and it is held anew.
test("a hold that nobody asked about for long is not stuck", async () => {
  const clock = new ManualClock();
  const news = new HoldNews(clock);
  news.of(request, hold);
  await clock.advance(15 * 60_000);
  expect(news.of(request, hold)).not.toBe("stuck");
  await clock.advance(60_000);
  expect(news.of(request, hold)).toBe("stuck");
});
