import { describe, expect, test } from "vitest";
import { loadConfig } from "../load.ts";
import { remarkOn } from "../remarks.ts";
import { notifyFields, traceFields } from "./notify-fields.ts";

const load = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  loadConfig(notifyFields, { args, env });

function remarks(args: readonly string[], env: Readonly<Record<string, string>> = {}): readonly string[] {
  const said: string[] = [];
  const say = (_fields: object, message: string) => void said.push(message);
  remarkOn(notifyFields, { args, env }, { warn: say });
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
      const read = () =>
        load(["--alert-on-reload", "--notify-webhook-url", given], { ALERT_WEBHOOK_URL: given });
      expect(read).toThrow("ALERT_WEBHOOK_URL=(not shown): is no address; write http://… or https://…");
      expect(read).toThrow("--notify-webhook-url (not shown): is no address");
      expect(read).not.toThrow("hunter2");
    },
  );

  test.each(["https://user:hunter2%off@hooks.example/", "http://100%hunter2@proxy.example:3128"])(
    "with a bare % in its login is refused, and not shown: %#",
    (given) => {
      const says = "its user or password has a % that begins no code; write %25 for a %";
      const read = () =>
        load(["--alert-on-failure", "--notify-webhook-proxy", given], { ALERT_WEBHOOK_URL: given });
      expect(read).toThrow(`ALERT_WEBHOOK_URL=(not shown): ${says}`);
      expect(read).toThrow(`--notify-webhook-proxy (not shown): ${says}`);
      expect(read).not.toThrow("hunter2");
    },
  );

  test("may have a % in its login that is written as %25", () => {
    const given = "https://user:50%25off@hooks.example/100%";
    expect(load([], { ALERT_WEBHOOK_URL: given }).alertWebhookUrl?.href).toBe(given);
  });

  test.each([
    ["ALERT_WEBHOOK_PROXY", "hunter2@proxy.example:3128"],
    ["ALERT_WEBHOOK_URL", "hunter2"],
  ])("that is none keeps nothing from starting while no alerts are sent: %s", (name, given) => {
    const env = { [name]: given, ALERT_ON_RELOAD: "false" };
    const { alertWebhookProxy, alertWebhookUrl } = load([], env);
    expect([alertWebhookProxy, alertWebhookUrl]).toEqual([undefined, undefined]);
    const says = `${name}=(not shown): is no address; write http://… or https://…`;
    expect(remarks([], env)).toEqual([
      `${says}. It is ignored: --alert-on-reload, --alert-on-failure are off`,
    ]);
    for (const on of ["--alert-on-reload", "--alert-on-failure=true"])
      expect(() => load([on], { [name]: given })).toThrow(says);
  });

  test("is not shown by a remark either", () => {
    const said = remarks(["--webhook-url=https://ci.example/hunter2"]);
    expect(said).toEqual([expect.stringMatching(/^--webhook-url \(not shown\): no workload is rolled/)]);
  });
});

describe("headers for the collector", () => {
  const headers = (given: string) =>
    loadConfig(traceFields, { args: [], env: { OTEL_EXPORTER_OTLP_HEADERS: given } }).otlpHeaders;

  test("are read as OpenTelemetry writes them", () => {
    expect(headers("")).toEqual({});
    expect(headers(" Authorization=Bearer%20a%2Cb==, x-tenant = nova ,")).toEqual({
      authorization: "Bearer a,b==",
      "x-tenant": "nova",
    });
  });

  test.each([
    ["hunter2", "header 1 has no name"],
    ["x-tenant=nova,=hunter2", "header 2 has no name"],
    ["api key=hunter2", "header 1 has no name"],
    ["Content-Type=hunter2", "header 1 is content-type, which the request sets itself"],
    ["x-key=hunter2%0d%0ahost:%20a", "header 1 is x-key with an empty or unreadable value"],
    ["x-key=hunter2%zz", "header 1 is x-key with an empty or unreadable value"],
    ["x-key=", "header 1 is x-key with an empty or unreadable value"],
  ])("that are none are refused, and no value is shown: %s", (given, says) => {
    const error = faultOf(() => headers(given));
    expect(error).toContain(says);
    expect(error).not.toContain("hunter2");
  });
});

function faultOf(act: () => unknown): string {
  try {
    return `it was taken: ${JSON.stringify(act())}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
