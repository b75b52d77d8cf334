import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { scalingFields } from "@fleet-reloader/runtime/config/fields";
import { addressText } from "@fleet-reloader/runtime/http/socket-address";
import type { ListeningScaler } from "@fleet-reloader/scaler/listen-scaler";
import type { Scaling } from "./scaling.ts";

interface KedaOptions {
  readonly config: ConfigOf<typeof scalingFields>;
  readonly scaling: Pick<Scaling, "work">;
  readonly clock: Clock;
  readonly log: Log;
}

export type ListenForKeda = (options: KedaOptions) => Promise<ListeningScaler | undefined>;

/** Serves KEDA's push trigger if an address is given. Only then is gRPC loaded. */
export const listenForKeda: ListenForKeda = async ({ config, scaling, clock, log }) => {
  const { scalerClientCaFile, scalerListenAddress, scalerTlsCertFile, scalerTlsKeyFile } = config;
  if (scalerListenAddress === undefined) return undefined;
  const { listenScaler } = await import("@fleet-reloader/scaler/listen-scaler");
  const tls = { certFile: scalerTlsCertFile, keyFile: scalerTlsKeyFile, clientCaFile: scalerClientCaFile };
  const { work } = scaling;
  const listening = await listenScaler({ address: scalerListenAddress, tls, work, clock, log });
  const scaler = addressText({ host: scalerListenAddress.host, port: listening.port });
  log.info({ scaler }, "the scaler listens");
  return listening;
};
