import { parseTime } from "@fleet-reloader/domain/duration";
import type { Freeze, FreezeScope } from "@fleet-reloader/domain/hold/freeze";
import {
  sourceKindOf,
  sourceSpellings,
  workloadKindOf,
  workloadSpellings,
} from "@fleet-reloader/domain/hold/kind-spelling";
import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import { parseLabelSelector } from "@fleet-reloader/domain/workload/label-selector";
import { CORE_SCHEMA, dump, load } from "js-yaml";
import * as z from "zod";

const entryName = z.string("must be a text; put it in quotes").min(1, "is empty; write a name");
// An RFC 1123 label, as the API server requires: another name would freeze nothing.
const entryNamespace = entryName.regex(
  /^(?!.{64})[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
  "is no name of a namespace; write one in lower case, and no pattern",
);
const kindAndName = z
  .string("must be a text; write Kind/name")
  .regex(
    /^[A-Za-z][\w.-]*\/[a-z0-9][a-z0-9.-]*$/,
    "is no object; write Kind/name, for example Deployment/api",
  );
const workloadName = kindAndName.refine((text) => workloadKindOf(splitName(text).kind) !== undefined, {
  error: ({ input }) => `is not of a known kind of workload; ${meantKind(String(input))}`,
});
const sourceName = kindAndName.refine((text) => sourceKindOf(splitName(text).kind) !== undefined, {
  error: ({ input }) =>
    `is no source; write ${nearestOf(String(input), sourceSpellings) ?? "ConfigMap/name, Secret/name or SecretProviderClass/name"}`,
});
const time = z
  .string("must be a text; write for example 2026-01-31T18:00:00Z")
  .refine((text) => parseTime(text) !== undefined, "is no time; write for example 2026-01-31T18:00:00Z");
const selector = z
  .string("must be a text")
  .refine(
    (text) => !("problem" in parseLabelSelector(text)),
    "is no label selector; write for example env=prod",
  );

const freezeScope = ["cluster", "clusterSelector", "namespace", "workload", "source"] as const;

/** One entry of a freeze document, as people write it. */
const freezeEntry = z
  .strictObject({
    fleet: z.literal(true, "can only be true; write true or leave it out").optional(),
    cluster: entryName.optional(),
    clusterSelector: selector.optional(),
    namespace: entryNamespace.optional(),
    workload: workloadName.optional(),
    source: sourceName.optional(),
    reason: z.string("must be a text").default("no reason given"),
    by: z.string("must be a text").default("nobody named"),
    until: time.optional(),
  })
  // A misspelt scope must neither freeze everything nor nothing.
  .refine((given) => given.fleet !== true || !isScoped(given), {
    message: `is about the whole fleet and about a part of it; write fleet: true, or ${freezeScope.join(", ")}, and not both`,
  })
  .refine((given) => given.fleet === true || isScoped(given), {
    message: `does not say what is frozen; write fleet: true, or one or more of ${freezeScope.join(", ")}`,
  });

function isScoped(given: Partial<Record<(typeof freezeScope)[number], unknown>>): boolean {
  return freezeScope.some((field) => given[field] !== undefined);
}

export type FreezeEntry = z.output<typeof freezeEntry>;

/** The content of a freeze document, or why it cannot be read: entry, field, value and mend, a line each. */
export type FreezeDocument =
  | { readonly type: "known"; readonly entries: readonly FreezeEntry[] }
  | { readonly type: "unreadable"; readonly why: string };

/** An entry, or why it is none: field, value and mend, a line each. */
export type CheckedEntry =
  | { readonly type: "entry"; readonly entry: FreezeEntry }
  | { readonly type: "refused"; readonly problems: readonly string[] };

/** Checks an entry that a person wrote. */
export function checkFreezeEntry(written: unknown): CheckedEntry {
  const { data, error, success } = freezeEntry.safeParse(written);
  return success
    ? { type: "entry", entry: data }
    : { type: "refused", problems: error.issues.map((issue) => describeIssue(issue, written)) };
}

/** Reads a freeze document: a YAML list. An empty text is refused: somebody may be writing the document at this moment. */
export function readFreezeEntries(text: string): FreezeDocument {
  let value: unknown;
  try {
    value = load(text, { schema: CORE_SCHEMA });
  } catch {
    return { type: "unreadable", why: "it is no YAML; write a list of freezes, or [] for none" };
  }
  if (!Array.isArray(value))
    return { type: "unreadable", why: "it is no list; write a list of freezes, or [] for none" };
  const problems: string[] = [];
  const entries = value.flatMap((each: unknown, at) => {
    const checked = checkFreezeEntry(each);
    if (checked.type === "entry") return [checked.entry];
    for (const problem of checked.problems) problems.push(`entry ${at + 1}: ${problem}`);
    return [];
  });
  return problems.length > 0 ? { type: "unreadable", why: problems.join("; ") } : { type: "known", entries };
}

/** A freeze document with these entries. */
export function writeFreezeEntries(entries: readonly FreezeEntry[]): string {
  return dump(entries, { lineWidth: -1 });
}

export function freezeOfEntry(given: FreezeEntry): Freeze {
  const { cluster, namespace, workload, source, clusterSelector, reason, by, until } = given;
  const parsed = clusterSelector === undefined ? undefined : parseLabelSelector(clusterSelector);
  const scope: FreezeScope = {
    ...(cluster === undefined ? {} : { cluster }),
    ...(parsed === undefined || "problem" in parsed ? {} : { clusterSelector: parsed }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(workload === undefined ? {} : { workload: workloadOf(workload) }),
    ...(source === undefined ? {} : { source: sourceOf(source) }),
  };
  return { scope, reason, by, ...(until === undefined ? {} : { untilMs: Date.parse(until) }) };
}

function describeIssue({ path, message, code }: z.core.$ZodIssue, each: unknown): string {
  const [field] = path;
  if (field === undefined)
    return code === "unrecognized_keys"
      ? `${message}; known are fleet, ${freezeScope.join(", ")}, reason, by and until`
      : message;
  const value =
    typeof each === "object" && each !== null
      ? Object.entries(each).find(([key]) => key === field)
      : undefined;
  return `${String(field)}: ${JSON.stringify(value?.[1])?.slice(0, 100)} ${message}`;
}

function splitName(text: string): { readonly kind: string; readonly name: string } {
  const slash = text.indexOf("/");
  return { kind: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** Accepts each name of a kind: `deploy/api` is the Deployment. */
function workloadOf(text: string): NonNullable<FreezeScope["workload"]> {
  const { kind, name: of } = splitName(text);
  return { kind: workloadKindOf(kind) ?? kind, name: of };
}

function sourceOf(text: string): NonNullable<FreezeScope["source"]> {
  const { kind, name: of } = splitName(text);
  return { kind: sourceKindOf(kind) ?? "ConfigMap", name: of };
}

function meantKind(text: string): string {
  const { kind, name: of } = splitName(text);
  const source = sourceKindOf(kind);
  if (source !== undefined) return `it is a source; write source: ${source}/${of}`;
  const nearest = nearestOf(text, workloadSpellings);
  const example = knownKinds.map((each) => each.kind).join(", ");
  return nearest === undefined ? `known are ${example}, and declared ones as Kind.group` : `write ${nearest}`;
}

/** Suggests the kind that was probably meant, by its name in manifests. */
function nearestOf(text: string, spellings: readonly string[]): string | undefined {
  const { kind, name: of } = splitName(text);
  const nearest = nearestName(kind.split(".")[0] ?? "", spellings);
  return nearest && `${workloadKindOf(nearest) ?? sourceKindOf(nearest)}/${of}`;
}
