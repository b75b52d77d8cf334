import { type GroupedMeta, inGroup } from "../field.ts";
import { boolean, textValue } from "../types.ts";

/** Flags of the peer for behaviour that is always on here, or that does not exist here. Each logs a remark when it is given. */
export const withoutEffectFields = inGroup("Understood, and without effect", {
  syncAfterRestart: {
    schema: boolean(false),
    meta: switchMeta(
      "sync-after-restart",
      "Changes made while nothing was running are always rolled later.",
      { remark: "changes made while nothing was running are always rolled later, with or without this flag" },
    ),
  },
  enableHa: {
    schema: boolean(false),
    meta: switchMeta("enable-ha", "No leader is elected. Any number of instances may share one Redis.", {
      remark:
        "no leader is elected: run any number of instances, all with the same --redis-url and the same --mark-key-file",
    }),
  },
  enablePprof: {
    schema: boolean(false),
    meta: switchMeta("enable-pprof", "There is no Go runtime to profile.", {
      remark: "there is no Go runtime to profile; start Node's own profiler with NODE_OPTIONS=--cpu-prof",
    }),
  },
  pprofAddress: {
    schema: textValue(":6060"),
    meta: {
      flag: "pprof-addr",
      peer: "--pprof-addr",
      placeholder: "HOST:PORT",
      description: "Nothing listens on this address.",
      remark: () => "nothing listens there: there is no Go runtime to profile",
    },
  },
});

function switchMeta(flag: string, description: string, { remark }: { readonly remark: string }): GroupedMeta {
  return {
    flag,
    peer: `--${flag}`,
    placeholder: "BOOL",
    description,
    isSwitch: true,
    remark: (given) => (/^(1|t|true)$/i.test(given) ? remark : undefined),
  };
}

/** Variables that deployments of the peer set and that we do not read, each with the reason. */
export const unreadVariables = [
  { env: "POD_NAME", why: "names the holder of a leader lease; no leader is elected here" },
  { env: "POD_NAMESPACE", why: "says where a leader lease is; no leader is elected here" },
  { env: "GOMAXPROCS", why: "is for the Go runtime; Node uses the CPU limit by itself" },
  {
    env: "GOMEMLIMIT",
    why: "is for the Go runtime; Node's heap limit is --max-old-space-size, set where the process is started",
  },
] as const;
