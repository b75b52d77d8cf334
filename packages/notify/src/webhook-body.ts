import type { Letter } from "./outbox.ts";
import type { Body } from "./post.ts";
import type { Told } from "./told.ts";

/** Raised when a field changes its meaning or goes; new fields may come at any time. docs/reference/webhook.md. */
export const webhookVersion = 1;

/** What a machine gets of each roll, failure and hold that is told: names and reasons, never content. */
export function webhookBody(letter: Letter<Told>): Body {
  const told = letter.type === "single" ? event(letter.item) : digest(letter);
  return { contentType: "application/json", text: JSON.stringify({ version: webhookVersion, ...told }) };
}

function event(told: Told) {
  const { cluster, clusterName, workload, atMs } = told.report;
  const about = {
    type: told.type,
    time: new Date(atMs).toISOString(),
    cluster: { name: clusterName, id: cluster },
    workload,
  };
  switch (told.type) {
    case "rolled":
      return { ...about, strategy: told.report.strategy, sources: told.report.sources };
    case "rollout-failed": {
      const { reason, message, seconds } = told.report;
      return { ...about, rollout: { reason, message, seconds } };
    }
    case "failed":
      return { ...about, fault: { code: told.report.code, message: told.report.message } };
    case "held": {
      const { reason, why, untilMs } = told.report;
      const until = untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() };
      return { ...about, hold: { reason, why, ...until } };
    }
  }
}

function digest({ digest }: Letter<Told> & { type: "digest" }) {
  const { count, counts, first } = digest;
  const of = (type: Told["type"]) => counts.get(type) ?? 0;
  const failed = of("failed") + of("rollout-failed");
  return { type: "digest", count, failed, held: of("held"), first: first.map(event) };
}
