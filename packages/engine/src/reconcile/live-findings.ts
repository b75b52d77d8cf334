import { type AnnotationProblem, annotationProblem } from "@fleet-reloader/domain/annotation/problem";
import { lintLive } from "@fleet-reloader/domain/lint/lint-live";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import { RecentMap } from "../async/recent-map.ts";
import type { MissingNameFact, UnreadableFact } from "../history/fact.ts";
import type { Settings } from "../ports/settings.ts";
import type { MissingSources } from "./missing-sources.ts";
import type { Reading } from "./reading.ts";

/** The number of workloads whose findings are remembered, some hundred bytes each. A forgotten finding is reported once more. */
const toldMax = 4096;
/** A person mends the first ones and looks again. */
const findingsOfWorkloadMax = 5;

/** Reports problems of a live workload: unreadable annotations and findings of lint. Each is reported once for as long as it lasts. */
export class LiveFindings {
  readonly #settings: Pick<Settings, "dialect">;
  readonly #told = new ToldFindings();
  readonly #toldUnreadable = new ToldFindings();
  readonly #toldNames = new ToldFindings();

  constructor(settings: Pick<Settings, "dialect">) {
    this.#settings = settings;
  }

  /** Problems that were not there before. An audit reports none: they were reported when they were written. */
  unreadable(
    { delivery, live, request }: Reading,
    problems: readonly AnnotationProblem[],
  ): readonly UnreadableFact[] {
    if (delivery.purpose === "audit") return [];
    // Without the problem text, which may contain a count that changes.
    const named = problems.map((problem) => {
      return { found: problem, name: `${problem.annotation} ${problem.value} ${problem.mend}` };
    });
    const news = this.#toldUnreadable.news(`${request.cluster}/${live.uid}`, named);
    return news.map((problem) => ({ type: "unreadable", uid: live.uid, problem }));
  }

  /** Names of no source that were not missing before. */
  misnamed(
    { live, request }: Pick<Reading, "live" | "request">,
    missing: readonly MissingNameFact[],
  ): readonly MissingNameFact[] {
    const named = missing.map((found) => ({ found, name: sourceKey(found.source) }));
    return this.#toldNames.news(`${request.cluster}/${live.uid}`, named);
  }

  /** Findings that are looked for only when the workload was created or changed: nothing else shows them. */
  async findNew(
    reading: Reading,
    missing: Pick<MissingSources, "findUnmatched">,
  ): Promise<readonly (UnreadableFact | MissingNameFact)[]> {
    if (reading.delivery.purpose !== "adoption") return [];
    const unmatched = await missing.findUnmatched(reading);
    return [...this.find(reading), ...this.misnamed(reading, unmatched)];
  }

  /** Findings that are new. */
  find({ interest, kind, live, request }: Reading): readonly UnreadableFact[] {
    const { dialect } = this.#settings;
    const { optIn } = interest;
    const found = lintLive({ object: live.object, kind, optIn, dialect }).slice(0, findingsOfWorkloadMax);
    const named = found.map((finding) => {
      return { found: finding, name: `${finding.rule} ${finding.field} ${finding.value}` };
    });
    const news = this.#told.news(`${request.cluster}/${live.uid}`, named);
    return news.map(({ rule, field, value, problem, mend }) => {
      return {
        type: "unreadable",
        uid: live.uid,
        rule,
        problem: annotationProblem(field, value, problem, mend),
      };
    });
  }
}

/** The findings of the last check, by workload. */
class ToldFindings {
  readonly #told = new RecentMap<string, ReadonlySet<string>>(toldMax);

  /** Remembers the present findings, and returns the new ones. */
  news<T>(workload: string, named: readonly { readonly found: T; readonly name: string }[]): readonly T[] {
    const before = this.#told.get(workload);
    if (named.length > 0) this.#told.set(workload, new Set(named.map(({ name }) => name)));
    else this.#told.delete(workload);
    return named.filter(({ name }) => before?.has(name) !== true).map(({ found }) => found);
  }
}
