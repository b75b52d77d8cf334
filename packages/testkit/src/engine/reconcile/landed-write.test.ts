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

test.each([
  ["annotations", false],
  ["annotations", true],
  ["env-vars", false],
  ["env-vars", true],
] as const)(
  "a landed roll for a deletion is not repeated (%s, rolled before: %s)",
  async (strategy, isRolled) => {
    const bed = await landed(strategy, isRolled ? ["2", "gone"] : ["gone"]);
    const rolls = bed.cluster.rolls().length;
    await bed.clock.advance(2000);
    expect(outcomeOf(await bed.reconcile(bed.api, doubtful))).toBe("recorded");
    expect(await bed.run()).toBe("unchanged");
    expect(bed.cluster.rolls()).toHaveLength(rolls);
  },
);

/** A roll whose PATCH the API server carried out, and whose worker never learned of it. Earlier contents are rolled first. */
async function landed(strategy: "annotations" | "env-vars", contents: readonly string[] = ["2"]) {
  let isLost = false;
  const bed = await adopted({
    settings: { strategy, reloadOnDelete: true },
    after: ({ verb }) => {
      if (verb === "patch" && isLost) throw new Fault("kube.timeout", "no answer");
    },
  });
  const write = (content: string) => {
    if (content === "gone") bed.cluster.deleteSource(bed.app);
    else bed.edit(content);
  };
  for (const content of contents.slice(0, -1)) {
    write(content);
    expect(await bed.run()).toBe("rolled");
    await bed.clock.advance(10_000);
  }
  write(contents.at(-1) ?? "2");
  isLost = true;
  await expect(bed.run()).rejects.toMatchObject({ code: "kube.timeout" });
  isLost = false;
  return bed;
}
