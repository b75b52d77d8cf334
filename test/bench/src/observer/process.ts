import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { ApiClient, type ApiTarget } from "@fleet-reloader/testkit/api-client";
import { until } from "@fleet-reloader/testkit/until";
import { expectOk } from "../api/expect-ok.ts";
import { inFlight } from "../api/in-flight.ts";
import { serveMethods } from "../child/serve.ts";
import { seededRandom } from "../stats/random.ts";
import type { ObserverMethods, Pair, SingleChange } from "./methods.ts";
import { TemplateWatch } from "./template-watch.ts";

/** Writer and observer in one process, so that one clock times both ends of a change. It knows no tool. */
const watch = new TemplateWatch();
let client = new ApiClient({ url: "http://127.0.0.1:1", token: "" });
let startedAt = 0;
let writes = 0;

/** A content that never was there before, also not in an earlier run on the same objects. */
async function change(namespace: string, configMap: string): Promise<void> {
  writes += 1;
  const patch = { data: { value: `${process.pid}-${performance.now()}-${writes}` } };
  await expectOk(`change ${configMap}`, client.patch("ConfigMap", configMap, patch, namespace));
}

async function changeOne(pair: Pair, timeoutMs: number): Promise<SingleChange> {
  const rolled = watch.nextRoll(pair.namespace, pair.deployment, timeoutMs);
  const sentAt = performance.now();
  await change(pair.namespace, pair.configMap);
  const answeredAt = performance.now();
  const seenAt = await rolled;
  watch.assertWhole();
  if (seenAt === undefined) return { pair, fromSendMs: undefined, fromAnswerMs: undefined };
  return { pair, fromSendMs: seenAt - sentAt, fromAnswerMs: seenAt - answeredAt };
}

const methods: ObserverMethods = {
  async open(target: ApiTarget) {
    client = new ApiClient(target);
    await watch.open(target);
    startedAt = performance.now();
  },
  forget() {
    watch.forgetRolls();
    startedAt = performance.now();
  },
  async changeOneByOne({ pairs, pauseMs: [from, to], seed, timeoutMs }) {
    const random = seededRandom(seed);
    const changes: SingleChange[] = [];
    for (const pair of pairs) {
      changes.push(await changeOne(pair, timeoutMs));
      await wait(from + (to - from) * random());
    }
    return changes;
  },
  async changeAsPlanned(planned) {
    const beganAt = performance.now();
    const sent: number[] = [];
    const answers: Promise<void>[] = [];
    for (const { atMs, namespace, configMap } of planned) {
      const early = beganAt + atMs - performance.now();
      if (early > 0) await wait(early);
      sent.push(performance.now() - startedAt);
      answers.push(change(namespace, configMap));
    }
    await Promise.all(answers);
    return sent;
  },
  async touch({ namespace, configMaps, count, inFlight: limit }) {
    const beganAt = performance.now();
    const names = Array.from({ length: count }, (_, i) => configMaps[i % configMaps.length] ?? "");
    await inFlight(limit, names, (name, i) => {
      const patch = { metadata: { annotations: { "bench/touched": `${beganAt}-${i}` } } };
      return expectOk(`touch ${name}`, client.patch("ConfigMap", name, patch, namespace));
    });
    return performance.now() - beganAt;
  },
  async settled({ quietMs, timeoutMs }) {
    const beganAt = performance.now();
    const isQuiet = () => performance.now() - Math.max(beganAt, watch.lastRollAt) >= quietMs;
    const quiet = until("no rolls", isQuiet, timeoutMs).then(
      () => true,
      () => false,
    );
    const answer = await quiet;
    watch.assertWhole();
    return answer;
  },
  rolls(namespace) {
    const rolls = [...watch.rollsIn(namespace)];
    return new Map(rolls.map(([name, times]) => [name, times.map((at) => at - startedAt)]));
  },
  countAnnotated: ({ namespace, prefix }) => watch.countAnnotated(namespace, prefix),
};

serveMethods(methods);
