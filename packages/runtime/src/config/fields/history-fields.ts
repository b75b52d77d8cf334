import { inGroup } from "../field.ts";
import { duration, wholeNumber } from "../types.ts";

/** How much of the history is kept. */
export const historyFields = inGroup("History", {
  historyRetention: {
    schema: duration("168h"),
    meta: {
      flag: "history-retention",
      placeholder: "DURATION",
      description:
        "How long Redis keeps changes, decisions, actions and outcomes, which are read at /history. 0 keeps none.",
    },
  },
  historyMaxLength: {
    schema: wholeNumber("50000", 100, 100_000_000),
    meta: {
      flag: "history-max-length",
      placeholder: "COUNT",
      description:
        "Maximum records that each shard keeps, whatever their age. A roll makes about four records; a thousand records take half a megabyte of Redis.",
    },
  },
});
