import { duration, wholeNumber } from "../types.ts";

/** How much of what happened is kept. */
export const historyFields = {
  historyRetention: {
    schema: duration("168h"),
    meta: {
      group: "History",
      flag: "history-retention",
      env: "FLEET_RELOADER_HISTORY_RETENTION",
      placeholder: "DURATION",
      description:
        "How long changes, decisions, actions and outcomes are kept in Redis, to be read at /history. 0 keeps none.",
    },
  },
  historyMaxLength: {
    schema: wholeNumber("50000", 100, 100_000_000),
    meta: {
      group: "History",
      flag: "history-max-length",
      env: "FLEET_RELOADER_HISTORY_MAX_LENGTH",
      placeholder: "COUNT",
      description:
        "The most records that are kept in each shard, whatever their age; a roll makes about four, and a thousand take half a megabyte of Redis.",
    },
  },
} as const;
