import { duration, wholeNumber } from "../types.ts";

/** How much of the history is kept. */
export const historyFields = {
  historyRetention: {
    schema: duration("168h"),
    meta: {
      group: "History",
      flag: "history-retention",
      env: "FLEET_RELOADER_HISTORY_RETENTION",
      placeholder: "DURATION",
      description:
        "How long Redis keeps changes, decisions, actions and outcomes, which are read at /history. 0 keeps none.",
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
        "Maximum records that each shard keeps, whatever their age. A roll makes about four records; a thousand records take half a megabyte of Redis.",
    },
  },
} as const;
