import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";
import { remarkOn } from "../remarks.ts";
import { dashboardFields, httpFields } from "./http-fields.ts";

const shape = { ...httpFields, ...dashboardFields };

function warnings(address: string, ...others: readonly string[]): readonly string[] {
  const lines: string[] = [];
  const log = { warn: (_: object, message: string) => void lines.push(message), info: () => undefined };
  remarkOn(shape, { args: ["--dashboard-address", address, ...others], env: {} }, log);
  return lines;
}

test.each(["0.0.0.0:8080", ":8080", "[::]:8080", "10.0.0.7:8080", "hub.example:8080"])(
  "pages with content that are served at %s without a login are warned of",
  (address) => {
    expect(warnings(address)).toEqual([
      expect.stringContaining(`--dashboard-address ${address}: there is no login`),
    ]);
  },
);

test.each(["127.0.0.1:8080", "127.1.2.3:0", "localhost:8080", "[::1]:8080"])("not so at %s", (address) => {
  expect(warnings(address)).toEqual([]);
});

test("pages that others reach are warned of with a login and without TLS", () => {
  const access = ["--access-file", "access.yaml"];
  const tls = ["--dashboard-tls-cert-file", "tls.crt", "--dashboard-tls-key-file", "tls.key"];
  expect(warnings("0.0.0.0:8080", ...access)).toEqual([expect.stringContaining("there is no TLS")]);
  expect(warnings("0.0.0.0:8080", ...access, ...tls)).toEqual([]);
  expect(warnings("0.0.0.0:8080", ...tls)).toEqual([expect.stringContaining("there is no login")]);
  expect(warnings("127.0.0.1:8080", ...access)).toEqual([]);
});

test("names by which we may be asked are a list of host names", () => {
  const load = (names: string) => loadConfig(shape, { args: ["--allowed-hosts", names], env: {} });
  expect(load("reloader, reloader.tools.svc,my_container").allowedHosts).toEqual([
    "reloader",
    "reloader.tools.svc",
    "my_container",
  ]);
  for (const name of ["http://reloader", "reloader:9090", "*", "*.example.com", "a b"])
    expect(() => load(name)).toThrow("--allowed-hosts");
});
