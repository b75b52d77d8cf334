import { describe, expect, test } from "vitest";
import { alertBody } from "./alert-body.ts";
import { alertText } from "./alert-text.ts";
import { failed, held, rolled, rolloutFailed, settings } from "./fixture/reports.ts";
import type { Notification } from "./notification.ts";
import type { Letter } from "./outbox.ts";

const plain = { additionalInfo: "", isClusterNamed: false };
const single = (item: Notification): Letter<Notification> => ({ type: "single", item });
const bodyOf = (sink: "slack" | "teams" | "gchat" | "raw", letter: Letter<Notification>, wording = plain) =>
  alertBody(sink, alertText(letter, wording), letter);

/** What Stakater Reloader 1.4.21 sends for the same reload. */
const peerSentence =
  "Reloader detected changes in *settings* of type *CONFIGMAP* in namespace *shop*. Hence reloaded *api* of type *Deployment* in namespace *shop*";

describe("one source that changed gives the peer's body", () => {
  test("for slack", () => {
    expect(bodyOf("slack", single(rolled()))).toEqual({
      contentType: "application/json",
      text: `{"attachments":[{"color":"good","author_name":"Reloader","text":"${peerSentence}"}]}`,
    });
  });

  test.each(["teams", "gchat"] as const)("for %s", (sink) => {
    expect(bodyOf(sink, single(rolled()))).toEqual({
      contentType: "application/json",
      text: `{"text":"${peerSentence}"}`,
    });
  });

  test("for everything else, as text without the stars", () => {
    expect(bodyOf("raw", single(rolled()))).toEqual({
      contentType: "text/plain",
      text: "Reloader detected changes in settings of type CONFIGMAP in namespace shop. Hence reloaded api of type Deployment in namespace shop",
    });
  });

  test("with the additional information in front", () => {
    expect(bodyOf("teams", single(rolled()), { ...plain, additionalInfo: "eu-1" }).text).toBe(
      `{"text":"eu-1 : ${peerSentence}"}`,
    );
  });
});

describe("beyond the peer", () => {
  test("the cluster is named where there are several", () => {
    const wording = { additionalInfo: "fleet", isClusterNamed: true };
    expect(bodyOf("teams", single(rolled()), wording).text).toBe(`{"text":"fleet : prod : ${peerSentence}"}`);
  });

  test("several sources are one alert, and many are counted", () => {
    const sources = Array.from({ length: 8 }, (_, i) => ({ ...settings, name: `s${i}` }));
    const { text } = bodyOf("raw", single(rolled("api", sources)));
    expect(text).toContain("changes in s0 of type CONFIGMAP in namespace shop, s1 of type");
    expect(text).toContain("s4 of type CONFIGMAP in namespace shop and 3 more. Hence reloaded api");
  });

  test("a failure says what it means and what to do, without the API server's words", () => {
    const { text } = bodyOf("slack", single(failed()));
    expect(text).toContain('"color":"danger"');
    expect(text).toContain(
      "Reloader could not reload *api* of type *Deployment* in namespace *shop*: kube.rejected.",
    );
    expect(text).not.toContain("answered 422");
  });

  test("a failed rollout is described in the list's words, not the cluster's", () => {
    const { text } = bodyOf("slack", single(rolloutFailed()));
    expect(text).toContain('"color":"danger"');
    expect(text).toContain(
      "Reloader reloaded *api* of type *Deployment* in namespace *shop*, and its rollout has failed: CrashLoopBackOff. A container of a new pod exits again and again.",
    );
    expect(text).not.toContain("container app");
  });

  test("a hold says why, and apart from that when it is looked at again", () => {
    const { type, report } = held();
    const until = {
      ...report,
      why: "its breaker is open; raise --breaker-workload",
      untilMs: Date.UTC(2026, 0, 2, 4),
    };
    const reads = (item: Notification) => bodyOf("raw", single(item)).text;
    expect(reads({ type, report: until })).toBe(
      "Reloader holds the reload of api of type Deployment in namespace shop: WorkloadLooping: its breaker is open; raise --breaker-workload. Looked at again at 2026-01-02T04:00:00.000Z.",
    );
    expect(reads(held())).toMatch(/: WorkloadLooping: it was rolled 10 times in 10m\.$/);
  });

  test("a digest counts, and names the first", () => {
    const counts = new Map([
      ["failed", 1],
      ["rolled", 41],
    ]);
    const digest = { count: 42, urgentCount: 1, counts, first: [failed("db"), rolled("api")] };
    expect(bodyOf("raw", { type: "digest", digest }).text).toBe(
      "Reloader reloaded 41 workloads and could not reload 1 workload in a short time: db of type Deployment in namespace shop (kube.rejected), api of type Deployment in namespace shop and 40 more",
    );
  });

  test("a digest counts apart what was held, reloaded, failed and not reloaded", () => {
    const counts = new Map([
      ["held", 2],
      ["rollout-failed", 1],
      ["rolled", 3],
      ["failed", 1],
    ]);
    const digest = { count: 7, urgentCount: 4, counts, first: [rolloutFailed("db")] };
    expect(bodyOf("raw", { type: "digest", digest }).text).toBe(
      "Reloader reloaded 3 workloads, could not reload 1 workload, saw the rollout of 1 workload fail and holds the reload of 2 workloads in a short time: db of type Deployment in namespace shop (CrashLoopBackOff) and 6 more",
    );
  });
});
