import { rendered } from "./helm.ts";
import { at, type Manifest, the } from "./manifest.ts";
import { matrix } from "./matrix.ts";

/** The only container of the only Deployment. */
export function containerOf(objects: readonly Manifest[]): unknown {
  return at(the(objects, "Deployment"), "spec", "template", "spec", "containers", 0);
}

/** Its flags. In a hub the first argument names the service; it is left out. */
export function argsOf(objects: readonly Manifest[]): readonly string[] {
  const args = at(containerOf(objects), "args");
  return (Array.isArray(args) ? args.map(String) : []).filter((arg) => arg.startsWith("-"));
}

/** The names of its variables. */
export function envOf(objects: readonly Manifest[]): readonly string[] {
  const env = at(containerOf(objects), "env");
  return Array.isArray(env) ? env.map((each) => String(at(each, "name"))) : [];
}

/** What is rendered for one row of the matrix. */
export function renderedBy(name: string): Promise<readonly Manifest[]> {
  return rendered(matrix[name] ?? {});
}
