import { appliedAnnotation } from "@fleet-reloader/domain/applied/applied-annotation";
import { fieldManager } from "@fleet-reloader/domain/field-manager";
import { expect, test } from "vitest";
import { adopted } from "../../beds/adopted-deployment.ts";
import { stateAnnotation } from "../../beds/test-bed.ts";

/** Rolled once, and noted on the workload and in Redis with a key that is lost by now; 10 s later. */
async function notedWithLostKey() {
  const bed = await adopted({ engagedAtSeconds: 0 });
  await bed.index.open();
  bed.edit("1.1");
  await bed.run();
  const text = bed.cluster.workload(bed.api)?.annotations[stateAnnotation];
  const appliedText = text?.replace('"key":"k1"', '"key":"k0"') ?? "";
  bed.cluster.setWorkload("api", {
    annotations: { [stateAnnotation]: null, [appliedAnnotation("k0")]: appliedText },
    manager: fieldManager,
  });
  await bed.records.keep({ cluster: "c1", workload: bed.api }, appliedText, bed.serverSeconds() ?? 0);
  const pass = () => bed.clock.advance(10_000);
  await pass();
  /** People write to the Deployment, and leave its template as it is. */
  const scale = () => bed.cluster.setWorkload("api", { fields: { spec: { replicas: 3 } } });
  return { ...bed, pass, scale };
}

// Who applies one file writes its ConfigMap first and its Deployment afterwards.
test("a later write to the workload hides no change since a note whose key is lost", async () => {
  const { edit, pass, run, scale } = await notedWithLostKey();
  edit("2");
  await pass();
  scale();
  await pass();
  expect(await run()).toBe("rolled");
  expect(await run()).toBe("unchanged");
});

test.each(["nobody", "somebody"])(
  "what is older than a note with a lost key rolls nothing, %s wrote since",
  async (who) => {
    const { pass, run, scale } = await notedWithLostKey();
    if (who === "somebody") scale();
    await pass();
    expect(await run()).toBe("recorded");
    expect(await run()).toBe("unchanged");
  },
);
