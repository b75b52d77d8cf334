/** The parts of a fleet's state for which the stream announces news. */
export const newsTopics = ["changes", "held", "queue", "clusters"] as const;

export type NewsTopic = (typeof newsTopics)[number];

/** Relative to the root of the API: a stream of server-sent events. */
export const newsPath = "/news";

/**
 * The events of the stream. `news` has the topics with something newer, as `{"topics": […]}`. `caught-up`: everything newer than the given
 * `Last-Event-ID` was announced. `history-lost`: Redis has lost the records that it had. The ids are those of the history.
 */
export const newsEvents = { newer: "news", caughtUp: "caught-up", historyLost: "history-lost" } as const;

/** A comment is sent at least this often, so that a broken stream is noticed. Proxies end a connection that is silent for a minute. */
export const newsHeartbeatMs = 20_000;
