import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { Fault } from "@fleet-reloader/domain/fault";
import { describeScope, unreadableFreezesText } from "@fleet-reloader/domain/hold/freeze";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import { entryScopeText } from "@fleet-reloader/runtime/freeze/declare-freeze";
import { printable } from "@fleet-reloader/runtime/log/printable";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { requireReason } from "../acts/act-flags.ts";
import type { CommandAnswer } from "../frame/answer.ts";
import { idleText } from "../questions/status-command.ts";
import type { ApiClient } from "../server/api-client.ts";
import { refuseName } from "../server/served-act.ts";
import { coversNothing, type FreezeReport } from "./covered-freeze.ts";
import { liftedEntry, scopeOf, wantedEntry } from "./freeze.ts";
import type { freezeConfig, unfreezeConfig } from "./freeze-config.ts";

/** A freeze is set although workloads come and go meanwhile: its count is read again so many times. */
const triesMax = 5;

/** Freezes by a server, and answers what the freeze covers. Nobody is asked: a freeze is for the moment in which nothing else helps. */
export async function freezeByServer(
  config: ConfigOf<typeof freezeConfig>,
  client: ApiClient,
): Promise<FreezeReport> {
  refuseName(config.by);
  requireReason(config);
  wantedEntry(config, systemClock.now());
  const body = Object.assign({}, scopeOf(config), { reason: config.reason, until: config.until });
  const {
    count,
    covers = "",
    notice = "",
    // A server of an older version does not say it.
    reading = "read",
  } = await atCurrentCount((intent) => client.act("freeze", Object.assign({}, body, intent)));
  const nothing = `; ${covers}`;
  const says = `${printable(notice.endsWith(nothing) ? notice.slice(0, -nothing.length) : notice)}\n`;
  if (count > 0 && reading === "read")
    return { says: `${says}${printable(covers)}\n`, warning: undefined, exitCode: 0 };
  // While a document cannot be read all is held.
  const exitCode = reading === "unreadable" ? 0 : coversNothing;
  return { says, warning: `warning: ${printable(covers)}\n`, exitCode };
}

/** Lifts by a server. Resolves to what was done, for people. */
export async function liftByServer(
  config: ConfigOf<typeof unfreezeConfig>,
  client: ApiClient,
): Promise<string> {
  const { reason } = config;
  requireReason(config);
  const scope = entryScopeText(liftedEntry(config));
  try {
    const { notice = "" } = await atCurrentCount((intent) =>
      client.act("lift", Object.assign({}, scopeOf(config), { reason }, intent)),
    );
    return `${printable(notice)}\n`;
  } catch (error) {
    throw namingScope(error, scope);
  }
}

/** The API calls what is frozen its scope. No flag is called so: it is named as without a server. */
function namingScope(error: unknown, scope: string): unknown {
  if (!(error instanceof Fault) || error.context.field !== "scope") return error;
  const message = error.message.replace(/^scope: /, `${printable(scope)}: `);
  return new Fault("config.invalid", message, { cause: error });
}

/** Lists the freezes that the workers obey, as a server knows them. */
export async function freezesByServer(client: ApiClient): Promise<CommandAnswer> {
  const held = await client.ask("held", { query: { limit: "1" } });
  const { freezeCount, freezes, unreadableFreezes } = held;
  const place = { place: client.origin, isThere: true, freezeCount, freezes, unreadableFreezes };
  return { text: () => servedText(client.origin, held), json: { places: [place] } };
}

function servedText(
  origin: string,
  { freezeCount, freezes, unreadableFreezes: why }: ApiAnswer<"held">,
): string {
  const unreadable = why === undefined ? [] : [`  ${unreadableFreezesText(why)}`];
  if (freezeCount === 0)
    return unreadable.length === 0
      ? `${origin}: nothing is frozen`
      : [`${origin}:`, ...unreadable].join("\n");
  const lines = freezes.map(({ by, missing, reason, scope, untilMs }) => {
    const until = untilMs === undefined ? "" : `, until ${new Date(untilMs).toISOString()}`;
    return `  ${printable(`${describeScope(scope)}: ${reason} (by ${by}${until})${idleText(missing)}`)}`;
  });
  const more = freezeCount - freezes.length;
  return [`${origin}:`, ...unreadable, ...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join("\n");
}

interface IntendedCount {
  readonly expect?: number;
  readonly dryRun: boolean;
}

/** Asks how many are meant and acts on that number. When the number has changed meanwhile, it acts on the new one. */
async function atCurrentCount<T extends { readonly count: number }>(
  act: (intent: IntendedCount) => Promise<T>,
): Promise<T> {
  let expect = (await act({ dryRun: true })).count;
  for (let tries = 1; ; tries += 1) {
    try {
      return await act({ expect, dryRun: false });
    } catch (error) {
      const now = error instanceof Fault ? error.context.count : undefined;
      if (typeof now !== "number" || tries === triesMax) throw error;
      expect = now;
    }
  }
}
