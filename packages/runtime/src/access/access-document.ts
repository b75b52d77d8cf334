import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import { type LabelSelector, parseLabelSelector } from "@fleet-reloader/domain/workload/label-selector";
import { CORE_SCHEMA, load } from "js-yaml";
import * as z from "zod";
import { readTokenDigest } from "./token-digest.ts";

/** Lowest first: each role includes the ones before it. */
export const accessRoles = ["viewer", "operator", "admin"] as const;

/** A role in some places. */
export interface AccessGrant {
  readonly role: (typeof accessRoles)[number];
  /** By name, by registered labels, or all. */
  readonly clusters: readonly string[] | LabelSelector | "all";
  readonly namespaces: readonly string[] | "all";
}

/** A person, machine or group that may ask or act. */
export interface AccessSubject {
  readonly name: string;
  /** A person may sign in at the page. A group consists of people whose membership an issuer or a proxy reports. */
  readonly type: "person" | "machine" | "group";
  /** SHA-256 of each of its tokens. */
  readonly digests: readonly Buffer[];
  readonly grants: readonly AccessGrant[];
}

/** The content of an access file, or why it cannot be read: place, field, value and mend, joined by semicolons. */
export type AccessDocument =
  | { readonly type: "known"; readonly subjects: readonly AccessSubject[] }
  | { readonly type: "unreadable"; readonly why: string };

const accessName = z.string("must be a text; put it in quotes").min(1, "is empty; write a name");
const everything = (what: string) =>
  z
    .union([z.literal("*"), z.array(accessName).min(1)], `must be "*" for all, or a list of ${what}`)
    .transform((given): readonly string[] | "all" => (given === "*" ? "all" : given));
const tokenHash = z
  .string("must be a text")
  .refine(
    (text) => readTokenDigest(text) !== undefined,
    "is no hash of a token; write sha256: and 64 hexadecimal digits, as fleet-reloader access-token prints it",
  );
const selectorText = z
  .string("must be a text")
  .refine(
    (text) => !("problem" in parseLabelSelector(text)),
    "is no label selector; write for example env=prod",
  );

const grantShape = z
  .strictObject({
    role: z.enum(accessRoles, `is no role; write ${accessRoles.join(", ")}`),
    clusters: everything("names of clusters").optional(),
    clusterSelector: selectorText.optional(),
    namespaces: everything("namespaces"),
  })
  .refine(({ clusters, clusterSelector }) => (clusters === undefined) !== (clusterSelector === undefined), {
    message: "does not say which clusters; write either clusters or clusterSelector",
  });
/** The name is shown to others and recorded in the history. */
const subjectName = /^[\p{L}\p{N}][\p{L}\p{N}@._+ -]{0,63}$/u;
const tokens = z.array(tokenHash, "must be a list of hashes").min(1, "is empty; write at least one hash");
const grants = z.array(grantShape, "must be a list of grants").min(1, "is empty; write at least one grant");
const writtenName = accessName.regex(subjectName, "is no name; write at most 64 letters and digits");
const machineShape = z.strictObject({ name: writtenName, tokens, grants });
// An issuer or a proxy may identify a person without a token.
const personShape = z.strictObject({ name: writtenName, tokens: tokens.default([]), grants });
const groupShape = z.strictObject({
  // The issuer's own text: a path, a number or a DN. It is compared and never shown as a name.
  name: accessName.max(256, "is too long; write at most 256 characters"),
  grants,
});
const documentShape = z.strictObject(
  {
    people: z.array(personShape, "must be a list").default([]),
    machines: z.array(machineShape, "must be a list").default([]),
    groups: z.array(groupShape, "must be a list").default([]),
  },
  "it is no map; write people: or machines: with a list",
);

/** Whether a subject may have this name. */
export function isSubjectName(text: string): boolean {
  return subjectName.test(text);
}

const fieldNames = [
  "people",
  "machines",
  "groups",
  "name",
  "tokens",
  "grants",
  "role",
  "clusters",
  "clusterSelector",
];
const knownFields = [...fieldNames, "namespaces"];

/** Reads an access file, in YAML or JSON. Messages quote nothing that could be a token. */
export function readAccessDocument(text: string): AccessDocument {
  let value: unknown;
  try {
    value = load(text, { schema: CORE_SCHEMA });
  } catch {
    return { type: "unreadable", why: "it is neither YAML nor JSON; write people: or machines: with a list" };
  }
  const parsed = documentShape.safeParse(value);
  if (!parsed.success)
    return {
      type: "unreadable",
      why: parsed.error.issues.map((issue) => describeAccessIssue(issue, value)).join("; "),
    };
  const { groups, machines, people } = parsed.data;
  const problems = [
    ...doubledNames([...people, ...machines]),
    ...doubledNames(groups),
    ...doubledTokens([...people, ...machines]),
  ];
  if (problems.length > 0) return { type: "unreadable", why: problems.join("; ") };
  return {
    type: "known",
    subjects: [
      ...people.map((one) => subjectOf(one, "person")),
      ...machines.map((one) => subjectOf(one, "machine")),
      ...groups.map(({ name: its, grants: all }) =>
        subjectOf({ name: its, tokens: [], grants: all }, "group"),
      ),
    ],
  };
}

type SubjectEntry = z.output<typeof personShape>;

function subjectOf(entry: SubjectEntry, type: AccessSubject["type"]): AccessSubject {
  const digests = entry.tokens.flatMap((text) => readTokenDigest(text) ?? []);
  return { name: entry.name, type, digests, grants: entry.grants.map(grantOf) };
}

function grantOf({
  role,
  clusters,
  clusterSelector,
  namespaces,
}: SubjectEntry["grants"][number]): AccessGrant {
  const parsed = parseLabelSelector(clusterSelector ?? "");
  // The shape ensures that one of the two is given. An unreadable one grants no cluster.
  const selected = clusterSelector === undefined || "problem" in parsed ? [] : parsed;
  return { role, clusters: clusters ?? selected, namespaces };
}

/** Each name may belong to only one subject. */
function doubledNames(entries: readonly Pick<SubjectEntry, "name">[]): readonly string[] {
  return [...Map.groupBy(entries, (entry) => entry.name)]
    .filter(([, its]) => its.length > 1)
    .map(([its]) => `name: ${JSON.stringify(its)} is there twice; write one entry with all its grants`);
}

/** Each token may belong to only one subject. */
function doubledTokens(entries: readonly SubjectEntry[]): readonly string[] {
  const owned = entries.flatMap((entry) =>
    entry.tokens.map((text) => ({ owner: entry.name, text: text.toLowerCase() })),
  );
  return [...Map.groupBy(owned, ({ text }) => text).values()]
    .filter((its) => its.length > 1)
    .map(
      (its) =>
        `tokens: the same hash is there twice, of ${its.map(({ owner }) => owner).join(" and ")}; make a token for each`,
    );
}

function describeAccessIssue(issue: z.core.$ZodIssue, document: unknown): string {
  const { path, message } = issue;
  const place = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  const where = place === "" ? "" : `${place.slice(1)}: `;
  if (issue.code === "unrecognized_keys") return `${where}${issue.keys.map(unknownField).join("; ")}`;
  return `${where}${valueText(path, document)}${message}`;
}

function unknownField(key: string): string {
  const near = nearestName(key, knownFields);
  return `${JSON.stringify(key.slice(0, 60))} is not known; ${near === undefined ? `known are ${knownFields.join(", ")}` : `did you mean ${near}?`}`;
}

/** A short form of the value. A value in the place of a token is not shown, since it may be the token itself. */
function valueText(path: readonly PropertyKey[], document: unknown): string {
  if (path.length === 0 || path.includes("tokens")) return "";
  let value = document;
  for (const part of path) value = Object(value)[part];
  const text = JSON.stringify(value);
  return text === undefined || typeof value === "object" ? "" : `${text.slice(0, 60)} `;
}
