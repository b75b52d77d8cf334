import { describe, expect, test } from "vitest";
import { loadConfig } from "../load.ts";
import { remarkOn } from "../remarks.ts";
import { notifyFields } from "./notify-fields.ts";

const load = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  loadConfig(notifyFields, { args, env });

function remarks(args: readonly string[], env: Readonly<Record<string, string>> = {}): readonly string[] {
  const said: string[] = [];
  const say = (_fields: object, message: string) => void said.push(message);
  remarkOn(notifyFields, { args, env }, { info: say, warn: say });
  return said;
}

test.each([
  ["slack", "slack"],
  [" Teams\n", "teams"],
  ["GCHAT", "gchat"],
  ["raw", "raw"],
  ["discord", "raw"],
])("ALERT_SINK=%j is the sink %s", (given, sink) => {
  expect(load([], { ALERT_SINK: given }).alertSink).toBe(sink);
  expect(remarks([], { ALERT_SINK: given })).toHaveLength(given === "discord" ? 1 : 0);
});

test.each([
  ["true", true],
  ["false", false],
  ["TRUE", false],
  ["yes", false],
])("ALERT_ON_RELOAD=%s is %s, as with the peer", (given, isOn) => {
  expect(load([], { ALERT_ON_RELOAD: given }).alertOnReload).toBe(isOn);
  const isDoubtful = given !== "true" && given !== "false";
  expect(remarks([], { ALERT_ON_RELOAD: given })).toHaveLength(isDoubtful ? 1 : 0);
});

test("nothing is told outside, and Events are made, unless said otherwise", () => {
  expect(load([])).toMatchObject({
    alertOnReload: false,
    alertOnFailure: false,
    events: true,
    countByNamespace: false,
  });
  expect(load([]).alertWebhookUrl).toBeUndefined();
  expect(load(["--alert-on-reload", "--events=false"])).toMatchObject({ alertOnReload: true, events: false });
  expect(load([], { METRICS_COUNT_BY_NAMESPACE: "enabled" }).countByNamespace).toBe(true);
});

describe("an address", () => {
  test("is taken with spaces around it", () => {
    expect(load([], { ALERT_WEBHOOK_URL: " https://hooks.example/x\n" }).alertWebhookUrl?.href).toBe(
      "https://hooks.example/x",
    );
  });

  test.each(["hooks.example/hunter2", "ftp://hooks.example/hunter2"])(
    "that is none is refused, and not shown: %s",
    (given) => {
      const read = () => load(["--notify-webhook-url", given], { ALERT_WEBHOOK_URL: given });
      expect(read).toThrow("ALERT_WEBHOOK_URL=(not shown): is no address; write http://… or https://…");
      expect(read).toThrow("--notify-webhook-url (not shown): is no address");
      expect(read).not.toThrow("hunter2");
    },
  );

  test("is not shown by a remark either", () => {
    const said = remarks(["--webhook-url=https://ci.example/hunter2"]);
    expect(said).toEqual([expect.stringMatching(/^--webhook-url \(not shown\): no workload is rolled/)]);
  });
});
