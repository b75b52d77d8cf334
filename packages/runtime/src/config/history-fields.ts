import { duration, text } from "./types.ts";

const lengthDefault = 50_000;

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
    schema: text(String(lengthDefault)).transform((value, context) => {
      const count = Number(value);
      if (Number.isInteger(count) && count >= 100 && count <= 100_000_000) return count;
      context.addIssue({ code: "custom", message: "must be a whole number from 100 to 100000000" });
      return lengthDefault;
    }),
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
