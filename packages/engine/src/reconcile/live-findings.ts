import { annotationProblem } from "@fleet-reloader/domain/annotation/problem";
import { lintLive } from "@fleet-reloader/domain/lint/lint-live";
import { RecentMap } from "../async/recent-map.ts";
import type { UnreadableFact } from "../history/fact.ts";
import type { Settings } from "../ports/settings.ts";
import type { Reading } from "./reading.ts";

/** Workloads with findings that are remembered, of some hundred bytes each. What is forgotten is reported once more. */
const toldMax = 4096;
/** A person mends the first ones and looks again. */
const findingsOfWorkloadMax = 5;

/** Finds what the rules of lint say of a live workload, each finding once for as long as it lasts. */
export class LiveFindings {
  readonly #settings: Pick<Settings, "dialect">;
  readonly #told = new RecentMap<string, ReadonlySet<string>>(toldMax);

  constructor(settings: Pick<Settings, "dialect">) {
    this.#settings = settings;
  }

  /** What was not found before. Only where the workload was made or changed: between that, nothing of it changes. */
  find({ delivery, interest, kind, live, request }: Reading): readonly UnreadableFact[] {
    if (delivery.purpose !== "adoption") return [];
    const { dialect } = this.#settings;
    const { optIn } = interest;
    const found = lintLive({ object: live.object, kind, optIn, dialect }).slice(0, findingsOfWorkloadMax);
    const workload = `${request.cluster}/${live.uid}`;
    const before = this.#told.get(workload);
    const named = found.map((finding) => ({
      finding,
      name: `${finding.rule} ${finding.field} ${finding.value}`,
    }));
    if (named.length > 0) this.#told.set(workload, new Set(named.map(({ name }) => name)));
    else this.#told.delete(workload);
    return named
      .filter(({ name }) => before?.has(name) !== true)
      .map(({ finding: { rule, field, value, problem, mend } }) => {
        return {
          type: "unreadable",
          uid: live.uid,
          rule,
          problem: annotationProblem(field, value, problem, mend),
        };
      });
  }
}
