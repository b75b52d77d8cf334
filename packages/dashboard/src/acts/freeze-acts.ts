import type { ActAnswer, ActBody } from "@fleet-reloader/contracts/api/act-routes";
import { asFault, type Fault, type RefusedPart } from "@fleet-reloader/domain/fault";
import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import type { FreezeCoverage } from "@fleet-reloader/domain/hold/freeze-coverage";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import { coveredByFreeze, freezeCoverageText } from "@fleet-reloader/engine/act/covered-by-freeze";
import {
  type FreezeReading,
  unheldText,
  unknownCoverageText,
} from "@fleet-reloader/engine/act/freeze-reading";
import { historyVersion } from "@fleet-reloader/engine/history/history";
import { refusedParts, refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import {
  declareFreeze,
  entryScopeText,
  entryText,
  freezeEntryOf,
  isFreezeOver,
  type LiftedFreeze,
  liftFreeze,
  scopeEntryOf,
  type WantedScope,
} from "@fleet-reloader/runtime/freeze/declare-freeze";
import {
  type CheckedEntry,
  type FreezeEntry,
  freezeOfEntry,
} from "@fleet-reloader/runtime/freeze/freeze-entries";
import type { FreezeStores } from "@fleet-reloader/runtime/freeze/freeze-store";
import { unreadableFreezes } from "../access/scoped-fleet.ts";
import { shownMax } from "./answer-in-parts.ts";
import { assertIntended } from "./assert-intended.ts";
import type { ActingPerson } from "./dashboard-acts.ts";
import { assertPermitted } from "./permissions.ts";

/** A written freeze. It holds nothing for certain until a watcher has read it. */
export interface WrittenFreeze {
  readonly freeze: Freeze;
  readonly document: string;
  /** Its author sees the whole fleet. */
  readonly seesFleet: boolean;
}

/** The result of an act. */
export interface ActOutcome {
  readonly answer: ActAnswer;
  /** Undefined: no freeze was written, or it covers nothing that is known. */
  readonly written?: WrittenFreeze | undefined;
}

/** Answers freeze. The watchers record the freeze in the history when they read it. */
export async function answerFreeze(body: ActBody<"freeze">, person: ActingPerson): Promise<ActOutcome> {
  const { acts, caller, registered } = person;
  const { dryRun, expect, reason, until } = body;
  assertPermitted("freeze", caller, body, registered);
  const [store] = storesOf(acts.freezes);
  const { clock } = acts.fleet;
  const entry = intendedEntry(
    freezeEntryOf({ scope: wantedScopeOf(body), reason, by: caller.name, until }, clock.now()),
    body,
  );
  // It would freeze nothing, and would replace a freeze of the same scope that is in force.
  if (isFreezeOver(entry, clock.now()))
    throw refusedQuestion({
      field: "until",
      value: until,
      problem: "until: this time is over",
      mend: "write a later one, or how long from now, for example 2h or 2d",
    });
  const { answer, missing } = await coverage("freeze", entry, person);
  const notice = missing === undefined ? undefined : `it covers nothing: ${missing}`;
  if (dryRun) return { answer: Object.assign(answer, { isDone: false, notice }) };
  assertIntended({ reason, expect }, answer.count);
  await declareFreeze(store, entry);
  const done = `frozen in ${store.name}: ${entryText(entry, clock.now())}`;
  const written = { freeze: freezeOfEntry(entry), document: store.name, seesFleet: seesFleet(caller) };
  return {
    answer: Object.assign(answer, {
      isDone: true,
      notice: notice === undefined ? done : `${done}; ${notice}`,
    }),
    written: missing === undefined ? written : undefined,
  };
}

/** The answer to a written freeze, as soon as it is known whether a watcher has read it. */
export async function toldReading(
  answer: ActAnswer,
  written: WrittenFreeze,
  asked: Promise<FreezeReading>,
): Promise<ActAnswer> {
  const told = (reading: ActAnswer["reading"], covers: string) =>
    Object.assign({}, answer, { reading, covers, notice: `${answer.notice}; ${covers}` });
  try {
    const reading = await asked;
    if (reading === "read") return Object.assign({}, answer, { reading });
    const where = { document: written.document, mend: "Give the dashboard" } as const;
    if (reading === "unread") return told("unread", unheldText(reading, where));
    const unreadable = written.seesFleet ? reading.unreadable : unreadableFreezes;
    return told("unreadable", unheldText({ unreadable }, where));
  } catch (error) {
    return told("unread", unknownCoverageText(asFault(error).message));
  }
}

/** Answers lift. */
export async function answerLift(body: ActBody<"lift">, person: ActingPerson): Promise<ActAnswer> {
  const { acts, caller, registered } = person;
  const { dryRun, expect, reason } = body;
  assertPermitted("lift", caller, body, registered);
  const stores = storesOf(acts.freezes);
  const entry = intendedEntry(scopeEntryOf(wantedScopeOf(body)), body);
  const { answer, found } = await coverage("lift", entry, person);
  if (dryRun) return Object.assign(answer, { isDone: false });
  assertIntended({ reason, expect }, answer.count);
  const lifted = await liftFreeze(stores, entry);
  if (lifted.type === "absent") throw notFrozen(answer.target, lifted, seesFleet(caller));
  const { clock, record } = acts.fleet;
  const { clusterSelector: _, ...scope } = freezeOfEntry(entry).scope;
  await record({
    v: historyVersion,
    time: new Date(clock.now()).toISOString(),
    type: "operator",
    action: "lift",
    by: caller.name,
    target: answer.target,
    scope,
    note: `${reason} (${answer.count})`,
    reason,
    count: answer.count,
  });
  const still = await stillFrozen(lifted.others, found.covered, person);
  const notice =
    still === undefined
      ? `no longer frozen in ${lifted.places}: ${answer.target}`
      : `removed from ${lifted.places}: the freeze of ${answer.target}; ${still}`;
  return Object.assign(answer, { isDone: true, notice });
}

/** Which freezes go on holding how many of the workloads that a freeze was lifted from; undefined: none does. */
async function stillFrozen(
  others: readonly FreezeEntry[],
  lifted: FreezeCoverage["covered"],
  person: ActingPerson,
): Promise<string | undefined> {
  const now = person.acts.fleet.clock.now();
  const texts: string[] = [];
  const held = new Set<string>();
  for (const entry of others.filter((each) => !isFreezeOver(each, now))) {
    const covered = new Set(
      (await coveredBy(entry, person.acts.fleet, person.registered)).covered.map(workloadText),
    );
    const both = lifted.map(workloadText).filter((each) => covered.has(each));
    for (const each of both) held.add(each);
    // Without a workload nothing shows whether a caller of a part sees this freeze.
    if (both.length > 0 || (lifted.length === 0 && seesFleet(person.caller)))
      texts.push(entryText(entry, now));
  }
  if (texts.length === 0) return undefined;
  const how = held.size === 0 ? "still frozen are" : `${held.size} of ${lifted.length} stay frozen`;
  return `${how}: ${texts.join("; ")}`;
}

function workloadText({ cluster, ref }: FreezeCoverage["covered"][number]): string {
  return `${cluster}/${workloadKey(ref)}`;
}

/** A caller who does not see the whole fleet learns only names that they gave themselves. */
function seesFleet(caller: ActingPerson["caller"]): boolean {
  return caller.may("viewer", { cluster: "", namespace: "" });
}

async function coveredBy(
  entry: FreezeEntry,
  { names, overview }: Pick<ActingPerson["acts"]["fleet"], "names" | "overview">,
  registered: ActingPerson["registered"],
): Promise<FreezeCoverage> {
  const managed = (cluster: string) => overview.managed(cluster);
  return await coveredByFreeze(freezeOfEntry(entry).scope, registered, { managed, names });
}

async function coverage(act: "freeze" | "lift", entry: FreezeEntry, person: ActingPerson) {
  const { caller } = person;
  const found = await coveredBy(entry, person.acts.fleet, person.registered);
  const workloads = found.covered
    .slice(0, shownMax)
    .map(({ cluster, ref }) => ({ cluster, workload: workloadKey(ref) }));
  const target = entryScopeText(entry);
  const [why, near] = found.missing?.split("; did you mean ") ?? [];
  const missing = near === undefined || !seesFleet(caller) ? why : found.missing;
  const covers = freezeCoverageText(Object.assign({}, found, { missing }));
  return { answer: { act, target, count: found.workloads, workloads, covers }, missing, found };
}

function wantedScopeOf(body: WantedScope): WantedScope {
  const { cluster, clusterSelector, fleet, namespace, source, workload } = body;
  return { fleet, cluster, clusterSelector, namespace, workload, source };
}

function intendedEntry(checked: CheckedEntry, given: Readonly<Record<string, unknown>>): FreezeEntry {
  if (checked.type === "entry") return checked.entry;
  throw refusedParts(checked.problems.map((line) => refusedField(line, given)));
}

/** A line is `field: what is wrong; what to write`, without a field where it is about the whole body. */
function refusedField(line: string, given: Readonly<Record<string, unknown>>): RefusedPart {
  const [problem = "", ...mend] = line.split("; ");
  const [first = "", ...rest] = problem.split(": ");
  const isField = rest.length > 0 && /^[a-zA-Z]+$/.test(first);
  return {
    field: isField ? first : "body",
    value: isField ? String(given[first] ?? "") : "",
    problem: isField ? problem : `body: ${problem}`,
    mend: mend.join("; "),
  };
}

function storesOf(stores: FreezeStores | undefined): FreezeStores {
  if (stores !== undefined) return stores;
  throw refusedQuestion({
    field: "--freeze-configmap",
    value: "",
    problem: "--freeze-configmap: it is not given, so this process shares no freezes with the workers",
    mend: "give it to all processes, or use fleet-reloader freeze",
  });
}

function notFrozen(
  scope: string,
  { frozen, gone, places }: Extract<LiftedFreeze, { readonly type: "absent" }>,
  isAllShown: boolean,
): Fault {
  const others = isAllShown && frozen.length > 0 ? [`frozen there are: ${frozen.join("; ")}`] : [];
  const absent = gone.map(
    (name) =>
      `${name} is not there: if it ever was, everything is frozen until it is created again, with [] for no freezes`,
  );
  const mends = [...others, ...absent];
  return refusedQuestion({
    field: "scope",
    value: scope,
    problem: `scope: it is not frozen in ${places}`,
    mend: mends.length === 0 ? "the page lists the freezes under Holds" : mends.join("; "),
  });
}
