import type { Notification } from "./notification.ts";
import type { Letter } from "./outbox.ts";
import type { Body } from "./post.ts";

/** Increased when a field changes its meaning or is removed. New fields may be added at any time. docs/reference/webhook.md. */
const webhookVersion = 1;

/** The body for machines about each reported roll, failure and hold: names and reasons, never content. */
export function webhookBody(letter: Letter<Notification>): Body {
  const notification = letter.type === "single" ? event(letter.item) : digest(letter);
  return {
    contentType: "application/json",
    text: JSON.stringify({ version: webhookVersion, ...notification }),
  };
}

function event(notification: Notification) {
  const { cluster, clusterName, workload, atMs } = notification.report;
  const head = {
    type: notification.type,
    time: new Date(atMs).toISOString(),
    cluster: { name: clusterName, id: cluster },
    workload,
  };
  switch (notification.type) {
    case "rolled":
      return { ...head, strategy: notification.report.strategy, sources: notification.report.sources };
    case "rollout-failed": {
      const { reason, message, seconds } = notification.report;
      return { ...head, rollout: { reason, message, seconds } };
    }
    case "failed":
      return {
        ...head,
        fault: { code: notification.report.code, message: notification.report.message },
      };
    case "held": {
      const { reason, why, untilMs } = notification.report;
      const until = untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() };
      return { ...head, hold: { reason, why, ...until } };
    }
  }
}

function digest({ digest }: Letter<Notification> & { type: "digest" }) {
  const { count, counts, first } = digest;
  const of = (type: Notification["type"]) => counts.get(type) ?? 0;
  const failed = of("failed") + of("rollout-failed");
  return { type: "digest", count, failed, held: of("held"), first: first.map(event) };
}
