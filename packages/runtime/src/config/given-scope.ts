import type { ConfigShape } from "./field.ts";
import { type ConfigSources, givenValues } from "./load.ts";

/** The flags or variables that choose namespaces, each with its value as it was written. */
export interface GivenScope {
  /** Undefined: none names namespaces. */
  readonly names: string | undefined;
  /** Undefined: there is no selector. */
  readonly selector: string | undefined;
}

/** How the served namespaces were given. */
export function givenScope(shape: ConfigShape, sources: ConfigSources): GivenScope {
  const { values } = givenValues(shape, sources);
  const { label: names } = values.get("namespaces") ?? values.get("namespace") ?? {};
  return { names, selector: values.get("namespaceSelector")?.label };
}
