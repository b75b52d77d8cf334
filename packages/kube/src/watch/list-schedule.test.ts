import { expect, test } from "vitest";
import { ListSchedule } from "./list-schedule.ts";

const minuteMs = 60_000;
const startSchedule = () => new ListSchedule({ relistEveryMs: 30 * minuteMs, silentMs: 3 * minuteMs });

/** The minutes at which lists are made, each when it is due. */
function listsUntil(minutes: number, schedule: ListSchedule, how: { delivers: boolean; heard: boolean }) {
  const lists: number[] = [];
  schedule.listed(0);
  for (let minute = 1; minute <= minutes; minute += 1) {
    const now = minute * minuteMs;
    if (how.delivers) schedule.delivered(now);
    if (schedule.due(now, how.heard ? now : 0) === undefined) continue;
    schedule.listed(now);
    lists.push(minute);
  }
  return lists;
}

test("a collection whose watches deliver is listed once in the period", () => {
  expect(listsUntil(100, startSchedule(), { delivers: true, heard: true })).toEqual([31, 62, 93]);
});

test("without a byte of its watches it is listed within minutes, then ever more rarely", () => {
  const lists = listsUntil(150, startSchedule(), { delivers: false, heard: true });
  expect(lists).toEqual([4, 11, 24, 49, 80, 111, 142]);
});

test("a server that is away is asked for the periodic list only", () => {
  expect(listsUntil(40, startSchedule(), { delivers: false, heard: false })).toEqual([31]);
});

test("a byte of a watch makes the next silence count from its beginning", () => {
  const schedule = startSchedule();
  listsUntil(30, schedule, { delivers: false, heard: true });
  schedule.delivered(30 * minuteMs);
  expect(schedule.due(33 * minuteMs, 33 * minuteMs)).toBeUndefined();
  expect(schedule.due(34 * minuteMs, 34 * minuteMs)).toBe("the watches deliver nothing");
});
