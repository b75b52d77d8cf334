import { expect, test } from "vitest";
import type { OperatorRecord } from "../history/history.ts";
import { actResultText, operatorActs } from "./operator-acts.ts";

const anything = { action: "", by: "", text: "" };

function acted(minute: number, own: Partial<OperatorRecord> = {}): OperatorRecord {
  const time = `2026-07-01T12:0${minute}:00.000Z`;
  const record = {
    v: 1,
    time,
    type: "operator",
    action: "retry",
    by: "ann",
    target: "Deployment/api",
  } as const;
  return { ...record, reason: "incident 4711", note: "incident 4711 (2)", count: 2, ...own };
}

test("acts are listed newest first with who, why, on how many and what came of it", () => {
  const lifted = acted(2, { action: "lift", by: "bob", target: "cluster nova" });
  const [newest, oldest] = operatorActs([acted(1), lifted], anything);
  expect(newest).toMatchObject({ action: "lift", by: "bob", target: "cluster nova" });
  expect(oldest).toMatchObject({ by: "ann", reason: "incident 4711", count: 2, of: 2 });
  expect([newest, oldest].map((act) => act && actResultText(act))).toEqual([
    "lifted a freeze of 2 workloads",
    "checked 2 workloads",
  ]);
});

test("an act in parts is one act, and a part that was done twice counts once", () => {
  const part = (before: number, count: number) =>
    acted(before, { count, part: { id: "act-1", of: 5, before } });
  const [act, ...others] = operatorActs([part(0, 2), part(2, 2), part(2, 2)], anything);
  expect(others).toEqual([]);
  expect(act).toMatchObject({ id: "act-1", time: acted(0).time, count: 4, of: 5 });
  expect(act && actResultText(act)).toBe("checked 4 of 5 workloads; the rest was not done");
  const [again] = operatorActs([part(0, 1), part(1, 4), part(1, 1)], anything);
  expect(again).toMatchObject({ count: 5, of: 5 });
  const [trimmed] = operatorActs([part(2, 2)], anything);
  expect(trimmed).toMatchObject({ count: 4, of: 5 });
  const [whole] = operatorActs([part(0, 2), part(2, 3)], anything);
  expect(whole && actResultText(whole)).toBe("checked 5 workloads");
});

test("a record of an older version keeps its note as the reason and has no count", () => {
  const { count: _, reason: __, ...old } = acted(1);
  const [act] = operatorActs([old], anything);
  expect(act).toMatchObject({ reason: "incident 4711 (2)", count: undefined });
  expect(act && actResultText(act)).toBe("done");
});

test("acts are found by person, act and text, and an unknown act is refused", () => {
  const records = [acted(1), acted(2, { by: "bob", action: "freeze", target: "cluster nova" })];
  const found = (filter: Partial<typeof anything>) =>
    operatorActs(records, { ...anything, ...filter }).map(({ by }) => by);
  expect(found({ by: "ann" })).toEqual(["ann"]);
  expect(found({ by: "an" })).toEqual([]);
  expect(found({ action: "freeze" })).toEqual(["bob"]);
  expect(found({ text: "NOVA" })).toEqual(["bob"]);
  expect(found({ text: "4711" })).toEqual(["bob", "ann"]);
  expect(() => found({ action: "retri" })).toThrow("action retri: no act is called so; did you mean retry?");
});
