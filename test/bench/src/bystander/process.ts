import { setTimeout as wait } from "node:timers/promises";
import { ApiClient, type ApiResult } from "@fleet-reloader/testkit/api-client";
import { expectOk } from "../api/expect-ok.ts";
import { serveMethods } from "../child/serve.ts";
import { configMap } from "../world/objects.ts";
import { type BystanderMethods, type BystanderRequest, bystanderRate } from "./methods.ts";

/** Somebody else who works with the same API server and has nothing to do with what is rolled. */
const names = Array.from({ length: 20 }, (_, at) => `own-${at}`);
let client = new ApiClient({ url: "http://127.0.0.1:1", token: "" });
let namespace = "";
let isThrottled = false;

/** Of ten requests six read, two list, two write. */
function request(number: number): Promise<ApiResult> {
  const name = names[number % names.length] ?? "";
  const kind = number % 10;
  if (kind < 6) return client.get("ConfigMap", name, namespace);
  if (kind < 8) return client.list("ConfigMap", namespace);
  return client.patch("ConfigMap", name, { data: { value: String(number) } }, namespace);
}

const methods: BystanderMethods = {
  async open(what) {
    client = new ApiClient(what.target);
    namespace = what.namespace;
    for (const name of names)
      await expectOk(`create ${name}`, client.create("ConfigMap", configMap(name, 200), namespace));
  },
  async work({ seconds = Number.POSITIVE_INFINITY }) {
    isThrottled = false;
    const beganAt = performance.now();
    const elapsed = () => (performance.now() - beganAt) / 1000;
    const asked: Promise<BystanderRequest>[] = [];
    while (!isThrottled && elapsed() < seconds) {
      const atSeconds = elapsed();
      const answered = expectOk("bystander", request(asked.length));
      asked.push(answered.then(() => ({ atSeconds, ms: (elapsed() - atSeconds) * 1000 })));
      await wait(Math.max(0, asked.length * (1000 / bystanderRate) - elapsed() * 1000));
    }
    return await Promise.all(asked);
  },
  rest() {
    isThrottled = true;
  },
};

serveMethods(methods);
