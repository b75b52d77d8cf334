import { expect, test } from "vitest";
import { placeView } from "../src/answer.ts";
import { placeOfAddress } from "../src/place.ts";
import { planned } from "./fixture/answers.ts";
import { textOf } from "./fixture/html.ts";

test("a source names each asked key that it does not have, with the one that was meant", () => {
  const absentKeys = [{ name: "log-levl", nearest: "log-level" }, { name: "zone" }];
  const body = Object.assign({}, planned, { keys: ["log-levl", "zone"], absentKeys });
  const path = "/sources/nova/Secret/shop/db";
  const place = placeOfAddress(path, "?key=log-levl&key=zone");
  const text = textOf(placeView(place, { type: "answered", body }, { path, nowMs: 0 }));
  expect(text).toContain(
    "It has no key log-levl; did you mean log-level? It has no key zone: as if it were added.",
  );
});
