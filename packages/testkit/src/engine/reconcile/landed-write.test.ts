import { Fault } from "@fleet-reloader/domain/fault";
import { expect, test } from "vitest";
import { adopted } from "../../beds/adopted-deployment.ts";
import { outcomeOf } from "../../beds/test-bed.ts";

const doubtful = { isDoubtful: true, attemptsMade: 1 };

test.each(["annotations", "env-vars"] as const)(
  "a content that goes back before a landed roll is repeated rolls once more (%s)",
  async (strategy) => {
    const bed = await landed(strategy);
    await bed.clock.advance(10_000);
    bed.edit("1");
    await bed.clock.advance(10_000);
    // The pods of the roll have the content that has gone.
    expect(outcomeOf(await bed.reconcile(bed.api, doubtful))).toBe("rolled");
    expect(bed.cluster.rolls()).toHaveLength(2);
    expect(await bed.run()).toBe("unchanged");
  },
);

test.each(["annotations", "env-vars"] as const)("a landed roll is not repeated (%s)", async (strategy) => {
  const bed = await landed(strategy);
  await bed.reconcile(bed.api, doubtful);
  expect(bed.cluster.rolls()).toHaveLength(1);
});

/** A roll whose PATCH the API server carried out, and whose worker never learned of it. */
async function landed(strategy: "annotations" | "env-vars") {
  let isLost = false;
  const bed = await adopted({
    settings: { strategy },
    after: ({ verb }) => {
      if (verb === "patch" && isLost) throw new Fault("kube.timeout", "no answer");
    },
  });
  bed.edit("2");
  isLost = true;
  await expect(bed.run()).rejects.toMatchObject({ code: "kube.timeout" });
  isLost = false;
  return bed;
}
