/** What of a fleet may be newer than what somebody was shown. */
export const newsTopics = ["changes", "held", "queue", "clusters"] as const;

export type NewsTopic = (typeof newsTopics)[number];

/** Below the root of the API: a stream of server-sent events. */
export const newsPath = "/news";

/**
 * The events of the stream. `news` has the topics that are newer, as `{"topics": […]}`. `caught-up`: all that is newer than the given
 * `Last-Event-ID` was named. `history-lost`: Redis has lost the records that it had. Their ids are those of the history.
 */
export const newsEvents = { newer: "news", caughtUp: "caught-up", historyLost: "history-lost" } as const;

/** A comment comes at least this often, so that a stream that broke is noticed. Proxies end what is silent for a minute. */
export const newsHeartbeatMs = 20_000;
