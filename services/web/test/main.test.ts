import { expect, test, vi } from "vitest";
import { calm, change, oneChange, status } from "./fixture/answers.ts";
import { openPage } from "./fixture/browser.ts";

/** A slow machine may take long; nothing here takes a second. */
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 120_000, interval: 10 });
const well = (body: unknown) => ({ status: 200, body });

test("the page asks for its address and draws the answer; a link asks for the next", async () => {
  const page = await openPage("/", (question) => well(question === "/api/v1/status" ? status : oneChange));
  await eventually(() => expect(page.text()).toContain("1 change not done"));
  expect(page.asked).toEqual(["/api/v1/status"]);
  await eventually(() => expect(page.text()).toContain("Nothing was rolled, and nothing failed."));
  expect(page.plotted).toEqual(["/api/v1/activity"]);
  expect(page.document.title).toBe("Now · fleet-reloader");
  page.click(`/changes/${change.id}?since=2026-07-01T11%3A59%3A00.000Z`);
  await eventually(() => expect(page.text()).toContain('key "dsn" is not in Secret/db'));
  expect(page.asked).toEqual(["/api/v1/status", "/api/v1/changes/f1-a?since=2026-07-01T11%3A59%3A00.000Z"]);
  // One change has no plots.
  expect(page.plotted.length).toBe(1);
});

test("plots have the filters of their list, and are not asked for again within 10 s", async () => {
  const page = await openPage("/changes?since=2h&cluster=nova&cursor=x", () =>
    well({ count: 0, changes: [], isCut: false }),
  );
  await eventually(() => expect(page.text()).toContain("Nothing was rolled"));
  page.timers[0]?.();
  await eventually(() => expect(page.asked.length).toBe(2));
  expect(page.plotted).toEqual(["/api/v1/activity?since=2h&cluster=nova"]);
});

test("a page that is not looked at asks nothing, and asks at once when it is", async () => {
  const page = await openPage("/", () => well(calm), true);
  await eventually(() => expect(page.text()).toContain("All 14 clusters are well."));
  expect(page.timers).toEqual([]);
  page.document.hidden = false;
  page.tell("visibilitychange");
  await eventually(() => expect(page.timers.length).toBe(1));
  expect(page.asked.length).toBe(2);
});

// The element under the pointer would be replaced before the button is released, and the click lost.
test("nothing is drawn anew while somebody holds a button down on it", async () => {
  const answers = [status, calm];
  const page = await openPage("/", () => well(answers.shift() ?? calm));
  await eventually(() => expect(page.text()).toContain("1 change not done"));
  await eventually(() => expect(page.timers.length).toBe(1));
  page.document.pressed.push(page.page());
  page.timers[0]?.();
  await eventually(() => expect(page.timers.length).toBe(2));
  page.tick();
  expect(page.text()).toContain("1 change not done");
  page.document.pressed.pop();
  page.tick();
  expect(page.text()).toContain("All 14 clusters are well.");
});

const refusals: readonly (readonly [number, string, string])[] = [
  [400, "question.invalid", "ask for the first page, without a cursor"],
  [403, "access.forbidden", "ask whoever keeps the access file"],
  [404, "question.invalid", "did you mean Deployment/api?"],
];

test.each(refusals)(
  "a refusal with %i is shown in place of an earlier answer",
  async (status, code, mend) => {
    let isWell = true;
    const problem = { code, problem: "it is not answered", mend };
    const page = await openPage("/", () => (isWell ? well(calm) : { status, body: problem }));
    await eventually(() => expect(page.timers.length).toBe(1));
    expect(page.textAt("age")).toContain("old");
    isWell = false;
    page.timers[0]?.();
    await eventually(() => expect(page.timers.length).toBe(2));
    expect(page.text()).toContain(`it is not answered What to do: ${mend}`);
    expect(page.text()).not.toContain("All 14 clusters are well.");
    expect([page.textAt("trouble"), page.textAt("age")]).toEqual(["", expect.stringMatching(/^\d s old$/)]);
    isWell = true;
    page.timers[1]?.();
    await eventually(() => expect(page.text()).toContain("All 14 clusters are well."));
  },
);

test.each([429, 500, 503])(
  "an answer stays, stale, when the next question is answered with %i",
  async (status) => {
    let isWell = true;
    const problem = { code: "access.throttled", problem: "not now", mend: "Wait." };
    const page = await openPage("/", () => (isWell ? well(calm) : { status, body: problem }));
    await eventually(() => expect(page.timers.length).toBe(1));
    isWell = false;
    page.timers[0]?.();
    await eventually(() => expect(page.timers.length).toBe(2));
    expect(page.text()).toContain("All 14 clusters are well.");
    expect(page.textAt("trouble")).toContain("stale: the last question had no answer");
  },
);

test("an answer stays when the next question fails; without one the refusal is shown", async () => {
  const problem = { code: "redis.unavailable", problem: "redis: no connection", mend: "Check the Redis." };
  let isWell = true;
  const page = await openPage("/", () => (isWell ? well(calm) : { status: 503, body: problem }));
  await eventually(() => expect(page.timers.length).toBe(1));
  isWell = false;
  page.timers[0]?.();
  await eventually(() => expect(page.timers.length).toBe(2));
  expect(page.text()).toContain("All 14 clusters are well.");
  const other = await openPage("/", () => ({ status: 503, body: problem }));
  await eventually(() => expect(other.text()).toContain("redis: no connection"));
  expect(other.text()).toContain("What to do: Check the Redis.");
});

test("why somebody is not signed out is told until the next answer", async () => {
  const problem = { code: "redis.unavailable", problem: "redis: no connection", mend: "Check the Redis." };
  const page = await openPage("/", (question) =>
    question === "/api/v1/session" ? { status: 503, body: problem } : well(calm),
  );
  await eventually(() => expect(page.timers.length).toBe(1));
  page.signOut();
  await eventually(() => expect(page.textAt("trouble")).toBe("⚠ not signed out: redis: no connection"));
  page.tick();
  expect(page.textAt("trouble")).toBe("⚠ not signed out: redis: no connection");
  page.timers[0]?.();
  await eventually(() => expect(page.timers.length).toBe(2));
  expect(page.textAt("trouble")).toBe("");
});

test("who is signed in is asked again when Redis was away, and the sign-out is there", async () => {
  let isWell = false;
  const problem = { code: "redis.unavailable", problem: "redis: no connection", mend: "Check the Redis." };
  const page = await openPage(
    "/",
    () => (isWell ? well(calm) : { status: 503, body: problem }),
    false,
    () => (isWell ? "ann" : undefined),
  );
  await eventually(() => expect(page.timers.length).toBe(1));
  expect(page.textAt("account")).toBe("");
  isWell = true;
  page.timers[0]?.();
  await eventually(() => expect(page.textAt("account")).toContain("Signed in as ann"));
});
