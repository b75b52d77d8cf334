import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import { explanationText } from "@fleet-reloader/engine/ask/explanation-text";
import { expect, test } from "vitest";
import { askingOf } from "../../beds/asked-bed.ts";
import { auto, createTestBed } from "../../beds/test-bed.ts";

test.each([
  [[], true],
  [[{ type: "ImageChange" }], true],
  [[{ type: "ConfigChange" }], false],
])("an explanation says whether a roll starts a deployment by the triggers %j", async (triggers, isKept) => {
  const bed = createTestBed({ settings: { workloadKinds: knownKinds } });
  bed.cluster.setSource("ConfigMap", "app", { a: "1" });
  const spec = { triggers, template: templateUsing({ app: {} }) };
  bed.cluster.setObject("DeploymentConfig", "shop", { metadata: { annotations: auto }, spec });
  const text = explanationText(await askingOf(bed).explain("shop", "DeploymentConfig"));
  expect(text.includes("a roll reaches its pods with its next deployment.")).toBe(isKept);
});
