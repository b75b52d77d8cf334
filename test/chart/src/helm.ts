import { join } from "node:path";
import { stringify } from "yaml";
import { type Manifest, parseManifests } from "./manifest.ts";
import { ensureTool } from "./tools/go-tool.ts";
import { type Outcome, run } from "./tools/run.ts";

export const root = join(import.meta.dirname, "../../..");
export const chart = join(root, "infra/helm/fleet-reloader");

export interface Rendering {
  /** The folder of the chart, where it is another than ours. */
  readonly of?: string;
  readonly release?: string;
  readonly namespace?: string;
  /** Helm's values; where something is absent the chart's default counts. */
  readonly values?: object;
  /** The chart is given no image: nothing is added to the values. */
  readonly isWithoutImage?: boolean;
  /** As if the cluster knew them. */
  readonly apiVersions?: readonly string[];
}

/** `helm template`, as text. */
export async function template(rendering: Rendering): Promise<Outcome> {
  const args = [
    ...[
      "template",
      rendering.release ?? "reloader",
      rendering.of ?? chart,
      "--namespace",
      rendering.namespace ?? "tools",
    ],
    ...["--values", "-"],
    ...(rendering.apiVersions ?? []).flatMap((version) => ["--api-versions", version]),
  ];
  const values = rendering.isWithoutImage ? rendering.values : withImage(rendering.values);
  return await run(await ensureTool("helm"), args, { input: stringify(values ?? {}, { version: "1.1" }) });
}

/** What everybody has to set, where the values say nothing of it. */
function withImage(values: object = {}): object {
  const image: unknown = "image" in values ? values.image : {};
  return { ...values, image: { repository: "fleet-reloader", ...Object(image) } };
}

/** What the chart makes of the values; throws with what Helm says when it refuses them. */
export async function rendered(rendering: Rendering): Promise<readonly Manifest[]> {
  const { code, output, errors } = await template(rendering);
  if (code !== 0) throw new Error(`helm template: ${errors}`);
  return parseManifests(output);
}

/** Why the chart refuses the values. */
export async function refusal(values: object): Promise<string> {
  const { code, errors } = await template({ values });
  if (code === 0) throw new Error(`helm template took ${JSON.stringify(values)}`);
  return errors;
}
