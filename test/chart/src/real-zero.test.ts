import { expect, test } from "vitest";
import { chart, refusal, rendered } from "./helm.ts";
import { argsOf } from "./rendered-container.ts";
import { ensureTool } from "./tools/go-tool.ts";
import { run } from "./tools/run.ts";

/** YAML and `--set` make a number of what the documentation writes as `0`. */
test("a 0 turns off what the flag says it turns off, as a number and as a text", async () => {
  for (const zero of [0, "0"]) {
    const fleetReloader = {
      ...{ debounce: zero, maxWait: zero, historyRetention: zero, notices: { alertWindow: zero } },
      brakes: { breakerWorkload: zero, breakerSource: zero, budgetFleet: zero },
    };
    const given = ["debounce", "max-wait", "history-retention", "alert-window"];
    const brakes = ["breaker-workload", "breaker-source", "budget-fleet"];
    expect(argsOf(await rendered({ values: { fleetReloader } }))).toEqual(
      expect.arrayContaining([...given, ...brakes].map((flag) => `--${flag}=0`)),
    );
  }
});

test("a 0 of the command line is one, too", async () => {
  const sets = ["image.repository=fleet-reloader", "fleetReloader.debounce=0"];
  const args = ["template", "reloader", chart, ...sets.flatMap((set) => ["--set", set])];
  const { code, output, errors } = await run(await ensureTool("helm"), args);
  expect(code, errors).toBe(0);
  expect(output).toContain('"--debounce=0"');
});

test("another number has no unit, and is refused", async () => {
  expect(await refusal({ fleetReloader: { debounce: 5 } })).toContain("/fleetReloader/debounce");
  expect(await refusal({ fleetReloader: { brakes: { breakerWorkload: 100 } } })).toContain("breakerWorkload");
  expect(await refusal({ fleetReloader: { dashboardAddress: 0 } })).toContain("dashboardAddress");
});
