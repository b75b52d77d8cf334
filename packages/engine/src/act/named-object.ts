import {
  sourceKindOf,
  sourceSpellings,
  workloadKindOf,
  workloadSpellings,
} from "@fleet-reloader/domain/hold/kind-spelling";
import type { SourceKind } from "@fleet-reloader/domain/source/source";
import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";

/** An object as people name it: `KIND/NAME`. */
export type NamedObject =
  | { readonly type: "workload"; readonly kind: string; readonly name: string }
  | { readonly type: "source"; readonly kind: SourceKind; readonly name: string };

/** Why a text names no object, and how to mend it. */
export interface MisnamedObject {
  readonly type: "misnamed";
  readonly problem: string;
  readonly mend: string;
}

/** Reads `KIND/NAME` with any spelling of the kind that kubectl knows. */
export function readNamedObject(
  text: string,
  wanted: readonly NamedObject["type"][],
): NamedObject | MisnamedObject {
  const [, given = "", name = ""] =
    /^([^/]{1,253})\/([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)$/.exec(text) ?? [];
  const workload = wanted.includes("workload") ? workloadKindOf(given) : undefined;
  if (workload !== undefined) return { type: "workload", kind: workload, name };
  const source = wanted.includes("source") ? sourceKindOf(given) : undefined;
  if (source !== undefined) return { type: "source", kind: source, name };
  const example = wanted.includes("workload") ? "Deployment/api" : "Secret/db";
  const known = [
    ...(wanted.includes("workload") ? workloadSpellings : []),
    ...(wanted.includes("source") ? sourceSpellings : []),
  ];
  const near = nearestName(given, known);
  const mend =
    name !== "" && near !== undefined ? `write ${near}/${name}` : `write KIND/NAME, for example ${example}`;
  return { type: "misnamed", problem: `names no ${wanted.join(" or ")}`, mend };
}
