import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { asFault } from "@fleet-reloader/domain/fault";
import type { Work } from "@fleet-reloader/engine/admission/work";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { linkedAbort } from "@fleet-reloader/engine/async/linked-abort";
import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import { ExternalScaler, type ScaledObjectRef } from "./external-scaler-proto.ts";
import { invalid, readScaleTarget } from "./scaled-object.ts";
import { workBeginnings } from "./work-beginnings.ts";

export interface ExternalScalerOptions {
  /** The queue depth, as in the answer of `/work`. Rejects when it is not known. */
  readonly work: () => Promise<Work>;
  readonly clock: Clock;
  /** When aborted, the streams end without an error, so that KEDA connects again at once. */
  readonly ending: AbortSignal;
}

/** The only metric: the number of requests that need a running worker. */
const metricName = "work" satisfies keyof Work;

/** Adds the five calls of `externalscaler.ExternalScaler`. Any number of ScaledObjects may use them, each with its own target. */
export function addExternalScaler(router: ConnectRouter, options: ExternalScalerOptions): void {
  const { clock, ending } = options;
  const depth = async (): Promise<number> => {
    try {
      return (await options.work()).work;
    } catch (error) {
      // An error instead of 0 makes KEDA use the fallback of the ScaledObject.
      throw new ConnectError(asFault(error).message, Code.Unavailable);
    }
  };
  router.service(ExternalScaler, {
    async isActive(scaledObject) {
      readScaleTarget(scaledObject.scalerMetadata);
      return { result: (await depth()) > 0 };
    },
    async *streamIsActive(scaledObject, { signal }) {
      readScaleTarget(scaledObject.scalerMetadata);
      using life = linkedAbort(signal, ending);
      for await (const _ of workBeginnings({ depth, clock }, life.signal)) yield { result: true };
    },
    getMetricSpec: specOf,
    async getMetrics(request) {
      const { scaledObjectRef, metricName: asked } = request;
      if (scaledObjectRef === undefined) throw invalid("the request names no ScaledObject");
      readScaleTarget(scaledObjectRef.scalerMetadata);
      if (asked !== metricName) throw invalid(`the metric ${asked}: not known here; ask for ${metricName}`);
      const value = await depth();
      return { metricValues: [{ metricName, metricValue: BigInt(value), metricValueFloat: value }] };
    },
    async *streamMetricSpec(scaledObject, { signal }) {
      using life = linkedAbort(signal, ending);
      yield specOf(scaledObject);
      // The target belongs to the trigger. When it changes, KEDA opens a new stream.
      await untilAborted(life.signal);
    },
  });
}

function specOf({ scalerMetadata }: ScaledObjectRef) {
  const { workPerWorker } = readScaleTarget(scalerMetadata);
  return {
    metricSpecs: [
      { metricName, targetSize: BigInt(Math.ceil(workPerWorker)), targetSizeFloat: workPerWorker },
    ],
  };
}
