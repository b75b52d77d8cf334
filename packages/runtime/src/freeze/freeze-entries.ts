import type { Freeze, FreezeScope } from "@fleet-reloader/domain/hold/freeze";
import { parseLabelSelector } from "@fleet-reloader/domain/label-selector";
import { CORE_SCHEMA, dump, load } from "js-yaml";
import * as z from "zod";

const name = z.string("must be a text; put it in quotes").min(1, "is empty; write a name");
const kindAndName = z
  .string("must be a text; write Kind/name")
  .regex(
    /^[A-Za-z][\w.-]*\/[a-z0-9][a-z0-9.-]*$/,
    "is no object; write Kind/name, for example Deployment/api",
  );
const sourceName = kindAndName.regex(
  /^(ConfigMap|Secret|SecretProviderClass)\//,
  "is no source; write ConfigMap/name, Secret/name or SecretProviderClass/name",
);
const time = z
  .string("must be a text; write for example 2026-01-31T18:00:00Z")
  .refine(
    (text) => /^\d{4}-\d{2}-\d{2}T\S+(Z|[+-]\d{2}:?\d{2})$/.test(text) && !Number.isNaN(Date.parse(text)),
    "is no time; write for example 2026-01-31T18:00:00Z",
  );
const selector = z
  .string("must be a text")
  .refine(
    (text) => !("problem" in parseLabelSelector(text)),
    "is no label selector; write for example env=prod",
  );

const scopeFields = ["cluster", "clusterSelector", "namespace", "workload", "source"] as const;

/** One entry of a freeze document, as people write it. */
const entry = z
  .strictObject({
    fleet: z.literal(true, "says nothing but true; leave it out or write true").optional(),
    cluster: name.optional(),
    clusterSelector: selector.optional(),
    namespace: name.optional(),
    workload: kindAndName.optional(),
    source: sourceName.optional(),
    reason: z.string("must be a text").default("no reason given"),
    by: z.string("must be a text").default("nobody named"),
    until: time.optional(),
  })
  // A misspelt scope must neither freeze everything nor nothing.
  .refine((given) => (given.fleet === true) !== scopeFields.some((field) => given[field] !== undefined), {
    message: `says not what is frozen; write fleet: true, or one or more of ${scopeFields.join(", ")}`,
  });

export type FreezeEntry = z.output<typeof entry>;

/** What a freeze document says, or why it cannot be read: entry, field, value and mend, a line each. */
export type FreezeDocument =
  | { readonly type: "known"; readonly entries: readonly FreezeEntry[] }
  | { readonly type: "unreadable"; readonly why: string };

/** Reads a freeze document: a YAML list. An empty text is none: it may be one that is just being written. */
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
    const parsed = entry.safeParse(each);
    if (parsed.success) return [parsed.data];
    for (const issue of parsed.error.issues) problems.push(`entry ${at + 1}${describe(issue, each)}`);
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
    ...(workload === undefined ? {} : { workload: splitName(workload) }),
    ...(source === undefined ? {} : { source: sourceOf(source) }),
  };
  return { scope, reason, by, ...(until === undefined ? {} : { untilMs: Date.parse(until) }) };
}

function describe({ path, message, code }: z.core.$ZodIssue, each: unknown): string {
  const [field] = path;
  if (field === undefined)
    return code === "unrecognized_keys"
      ? `: ${message}; known are fleet, ${scopeFields.join(", ")}, reason, by and until`
      : `: ${message}`;
  const value =
    typeof each === "object" && each !== null
      ? Object.entries(each).find(([key]) => key === field)
      : undefined;
  return `: ${String(field)}: ${JSON.stringify(value?.[1])?.slice(0, 100)} ${message}`;
}

function splitName(text: string): { readonly kind: string; readonly name: string } {
  const slash = text.indexOf("/");
  return { kind: text.slice(0, slash), name: text.slice(slash + 1) };
}

function sourceOf(text: string): NonNullable<FreezeScope["source"]> {
  const { kind, name: of } = splitName(text);
  return { kind: kind === "Secret" || kind === "SecretProviderClass" ? kind : "ConfigMap", name: of };
}
