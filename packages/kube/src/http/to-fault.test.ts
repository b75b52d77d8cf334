import { Fault } from "@fleet-reloader/domain/fault";
import { errors } from "undici";
import { describe, expect, test } from "vitest";
import { isSilence, statusFault, transportFault } from "./to-fault.ts";

const context = { server: "https://kube", method: "GET", path: "/api/v1/secrets" };
const never = new AbortController().signal;

const coded = (code: string, cause?: unknown) =>
  Object.assign(new Error(`it is ${code}`, { cause }), { code });

describe("an answer that is no success", () => {
  test.each([
    [400, "kube.rejected", "transient"],
    [401, "kube.unauthorized", "denied"],
    [403, "kube.forbidden", "denied"],
    [408, "kube.timeout", "transient"],
    [409, "kube.conflict", "conflict"],
    [410, "kube.expired", "transient"],
    [413, "kube.rejected", "transient"],
    [422, "kube.rejected", "transient"],
    [429, "kube.throttled", "throttled"],
    [500, "kube.server-error", "transient"],
    [502, "kube.server-error", "transient"],
    [503, "kube.server-error", "transient"],
    [504, "kube.server-error", "transient"],
  ])("%d is %s, which is %s", (status, code, kind) => {
    const fault = statusFault(status, { message: "", reason: "" }, context, undefined);
    expect([fault.code, fault.class]).toEqual([code, kind]);
    expect(fault.message).toBe(`GET /api/v1/secrets at https://kube answered ${status}`);
  });

  test("carries what the server said, where, and how long it asks to wait", () => {
    const fault = statusFault(429, { message: "too many", reason: "TooMany" }, context, 3000);
    expect(fault.message).toBe("GET /api/v1/secrets at https://kube answered 429: too many");
    expect(fault.context).toEqual({ ...context, status: 429 });
    expect(fault.retryAfterMs).toBe(3000);
  });
});

describe("an error of the transport", () => {
  test.each([
    ["ECONNREFUSED", "kube.unreachable"],
    ["ENOTFOUND", "kube.unreachable"],
    ["CERT_HAS_EXPIRED", "kube.unreachable"],
    ["UND_ERR_CONNECT_TIMEOUT", "kube.unreachable"],
    ["ECONNRESET", "kube.timeout"],
    ["UND_ERR_HEADERS_TIMEOUT", "kube.timeout"],
    ["UND_ERR_SOCKET", "kube.timeout"],
  ])("%s is %s", (code, expected) => {
    expect(transportFault(coded(code), context, never).code).toBe(expected);
  });

  test("about an untrusted certificate names the field of the kubeconfig, and not Node", () => {
    const error = Object.assign(
      new Error("self-signed certificate; try running Node.js with --use-system-ca"),
      {
        code: "DEPTH_ZERO_SELF_SIGNED_CERT",
      },
    );
    expect(transportFault(error, context, never)).toMatchObject({
      code: "kube.unreachable",
      message:
        "cannot reach https://kube: its certificate is not one of the kubeconfig's certificate-authority (DEPTH_ZERO_SELF_SIGNED_CERT)",
    });
  });

  // Linux also reports these for an open connection after a long silence: then the request was sent.
  test.each(["EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"])(
    "%s means unreachable while a connection is made; later the outcome is unknown",
    (code) => {
      const during = (syscall: string) => Object.assign(coded(code), { syscall });
      expect(transportFault(during("connect"), context, never).code).toBe("kube.unreachable");
      expect(transportFault(during("read"), context, never).code).toBe("kube.timeout");
      expect(transportFault(coded(code), context, never).code).toBe("kube.timeout");
    },
  );

  test("is known by its cause, and by the first of several", () => {
    const outer = new TypeError("fetch failed", { cause: coded("ECONNREFUSED") });
    expect(transportFault(outer, context, never).code).toBe("kube.unreachable");
    const several = new AggregateError([coded("ECONNREFUSED"), coded("ENETUNREACH")]);
    expect(transportFault(several, context, never).message).toBe("cannot reach https://kube: ECONNREFUSED");
  });

  test("after our own stop is no failure of the server", () => {
    expect(transportFault(coded("ECONNRESET"), context, AbortSignal.abort()).code).toBe("engine.aborted");
  });

  test("that is a fault already stays the one it is", () => {
    const fault = new Fault("kube.conflict", "moved");
    expect(transportFault(fault, context, never)).toBe(fault);
  });

  test("something that is no error is a fault too", () => {
    expect(transportFault("lost", context, never).code).toBe("kube.timeout");
  });
});

test("silence is a body that stopped coming, nothing else", () => {
  expect(isSilence(new errors.BodyTimeoutError())).toBe(true);
  expect(isSilence(new errors.HeadersTimeoutError())).toBe(false);
  expect(isSilence(coded("ECONNRESET"))).toBe(false);
});
