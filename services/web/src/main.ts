import { newsTopics } from "@fleet-reloader/contracts/api/news";
import { AskedActivity } from "./activity/asked-activity.ts";
import type { Permits } from "./acts/act-offer.ts";
import { serveActs } from "./acts/page-acts.ts";
import { Permissions } from "./acts/permissions.ts";
import { agoText } from "./age.ts";
import { type PlaceAnswer, placeView } from "./answer.ts";
import { askApi, isDecided } from "./ask-api.ts";
import { waitAfterNews, waitBefore } from "./backoff.ts";
import { focusNames, isInForm, type PageDocument, type PageElement, showText } from "./browser.ts";
import { draw } from "./draw.ts";
import { Account } from "./frame/account.ts";
import { freshness, lossNotice, navigation, staleness, titleOf } from "./frame/frame.ts";
import { serveKeys } from "./frame/keys.ts";
import {
  accountNodes,
  addressAfterSignIn,
  askSession,
  offeredIssuer,
  signInAddress,
} from "./frame/session.ts";
import { serveTerminal } from "./frame/terminal.ts";
import { openNews } from "./news/open-news.ts";
import type { NewsReader } from "./news/shared-news.ts";
import { isView, type Place, placeOfAddress, questionOf, showsTopic } from "./place.ts";
import { ageless, type ViewNode } from "./view-node.ts";

declare const document: PageDocument;
declare const location: {
  readonly pathname: string;
  readonly search: string;
  readonly origin: string;
  assign(address: string): void;
};
declare const history: { pushState(state: null, title: string, address: string): void };
declare const addEventListener: (type: string, listener: () => void) => void;
declare const scrollTo: (x: number, y: number) => void;

const places = {
  navigation: document.getElementById("navigation"),
  page: document.getElementById("page"),
  age: document.getElementById("age"),
  trouble: document.getElementById("trouble"),
  account: document.getElementById("account"),
  keys: document.getElementById("keys"),
  act: document.getElementById("act"),
};
const permissions = new Permissions();
const activity = new AskedActivity();
const account = new Account();
const issuer = offeredIssuer(document);

let answer: PlaceAnswer = { type: "loading" };
/** When the last answer came, and when the drawn one came. */
let answeredMs: number | undefined;
let shownMs: number | undefined;
let failures = 0;
let drawn = "";
/** There is something else to show, but the person is filling in a form. */
let isDrawingDue = false;
let asking = new AbortController();
let timer: ReturnType<typeof setTimeout> | undefined;
/** A question is under way; and it began before the last news. */
let isAsking = false;
let isOutdated = false;
/** How long the last answer took, and when it came or failed. */
let tookMs = 0;
let endedMs = 0;
let isLive = false;
/** When Redis lost the history. */
let lostMs: number | undefined;
/** Why the last sign-out failed; empty: none has failed since the last answer. */
let notSignedOut = "";

/**
 * Draws what is known of the place. If the content is the same, only its ages change, so that focus and selection stay. Nothing is redrawn while
 * a person fills in a filter, acts or holds a button down: a click on a replaced element is lost.
 */
function drawPlace(): void {
  const place = placeOfAddress(location.pathname, location.search);
  document.title = titleOf(place);
  const permits: Permits = (where) => permissions.of(where);
  const nowMs = Date.now();
  const look = { path: location.pathname, nowMs, permits, issuer, activity: activity.of(place) };
  const nodes = placeView(place, answer, look);
  const text = ageless(nodes);
  const [pressed] = document.querySelectorAll(":active");
  const isBusy = drawn !== "" && (pressed !== undefined || isInForm(document.activeElement) || isActing());
  if (!isBusy) shownMs = answeredMs;
  isDrawingDue = isBusy && text !== drawn;
  if (text !== drawn && !isBusy) {
    const focused = focusNames(document.activeElement);
    fill(places.navigation, [navigation(place)]);
    fill(places.page, nodes);
    drawn = text;
    if (focused !== "")
      [...document.querySelectorAll("a[href], button[aria-label], [tabindex='0']")]
        .find((one) => focusNames(one) === focused)
        ?.focus();
  }
  drawAges();
  if (places.act !== null) void askPermissions();
}

/** Redraws a view that offers acts when new permissions are known. If nobody can act, the shell has no dialog for acts. */
async function askPermissions(): Promise<void> {
  const { signal } = new AbortController();
  if (await permissions.ask((question) => askApi(question, signal))) drawPlace();
}

/** Redraws a view with plots when there are newer ones. */
async function askActivity(place: Place): Promise<void> {
  const { signal } = new AbortController();
  if (await activity.ask(place, Date.now(), (question) => askApi(question, signal))) drawPlace();
}

function isActing(): boolean {
  return typeof places.act?.getAttribute("open") === "string";
}

/** Updates all ages. It makes no new elements, so it costs little even in a long list. */
function drawAges(): void {
  const nowMs = Date.now();
  for (const element of document.querySelectorAll("main time[title]"))
    showText(element, agoText(element.getAttribute("datetime") ?? "", nowMs));
  const place = placeOfAddress(location.pathname, location.search);
  const isTold = isLive && failures === 0 && showsTopic(place, newsTopics);
  showText(places.age, freshness(shownMs, nowMs, isTold));
  const troubles = [staleness(shownMs, failures > 0), lossNotice(lostMs, nowMs), notSignedOut];
  showText(places.trouble, troubles.filter((one) => one !== "").join(" "));
}

function fill(element: PageElement | null, nodes: readonly ViewNode[]): void {
  element?.replaceChildren(...nodes.map((node) => draw(node, document)));
}

/** Asks for the place, shows the answer, and asks again later while the page is visible. */
async function ask(): Promise<void> {
  clearTimeout(timer);
  asking.abort();
  asking = new AbortController();
  isAsking = false;
  const { signal } = asking;
  const place = placeOfAddress(location.pathname, location.search);
  const question = questionOf(place);
  if (question === undefined) return drawPlace();
  isAsking = true;
  isOutdated = false;
  const beganMs = Date.now();
  const asked = await askApi(question, signal);
  if (signal.aborted) return;
  isAsking = false;
  endedMs = Date.now();
  tookMs = endedMs - beganMs;
  // Nothing is asked again before the person has signed in.
  if (asked.type === "failed" && asked.problem.code === "access.unauthenticated") {
    fill(places.account, []);
    return go(signInAddress(location.pathname, location.search));
  }
  const isAnswered = isDecided(asked);
  failures = isAnswered ? 0 : failures + 1;
  if (isAnswered) {
    answeredMs = Date.now();
    notSignedOut = "";
  }
  // After a failure the present answer stays, with its age.
  if (isAnswered || answeredMs === undefined) answer = asked;
  if (!document.hidden) {
    askAgain(place);
    // An answer shows that the sign-in is valid again if it was refused before.
    if (asked.type === "answered") news?.begin();
  }
  if (asked.type === "answered") void Promise.all([askActivity(place), showAccount()]);
  drawPlace();
}

function askAgain(place: Place): void {
  askLater(
    isOutdated ? waitAfterNews(tookMs, failures) : waitBefore(place, { failures, isLive }, Math.random()),
  );
}

function askLater(ms: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => void ask(), ms);
}

/** Asks again as soon as there is news for the place, and rarely while there is none. */
const newsReader: NewsReader = {
  newer(topics) {
    if (document.hidden || !showsTopic(placeOfAddress(location.pathname, location.search), topics)) return;
    if (isAsking) isOutdated = true;
    else askLater(Math.max(0, endedMs + waitAfterNews(tookMs, failures) - Date.now()));
  },
  live(isLiveNow) {
    isLive = isLiveNow;
    const place = placeOfAddress(location.pathname, location.search);
    // News may have been missed before the stream broke.
    if (!isLive && !isAsking && !document.hidden)
      askLater(Math.random() * waitBefore(place, { failures, isLive }, Math.random()));
    drawPlace();
  },
  historyLost() {
    lostMs = Date.now();
    drawPlace();
  },
};

const news = openNews(newsReader, {
  after(ms, run) {
    const its = setTimeout(run, ms);
    return () => clearTimeout(its);
  },
  chance: Math.random,
});

/** Shows another place, with nothing of the former one. */
function arrive(): void {
  answer = { type: "loading" };
  answeredMs = undefined;
  shownMs = undefined;
  failures = 0;
  drawn = "";
  permissions.forget();
  drawPlace();
  void ask();
}

function go(address: string): void {
  history.pushState(null, "", address);
  arrive();
  scrollTo(0, 0);
  places.page?.focus();
}

serveActs(document, () => void ask());
serveTerminal(document);

document.addEventListener("click", (event) => {
  if (event.target?.closest("#help")) return places.keys?.showModal?.();
  if (event.target?.closest("#sign-out")) return void signOut();
  const address = event.target?.closest("a[href]")?.getAttribute("href") ?? "";
  const isPlain = event.button === 0 && !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (!isPlain || !isView(address)) return;
  event.preventDefault();
  go(address);
});

document.addEventListener("submit", (event) => {
  if (event.target?.getAttribute("id") !== "sign-in") return;
  event.preventDefault();
  const [field] = document.querySelectorAll("#token");
  void signInWith(field?.value ?? "");
});

async function signInWith(token: string): Promise<void> {
  const then = addressAfterSignIn(new URLSearchParams(location.search));
  const signed = await askSession("POST", token);
  if ("problem" in signed) {
    answer = { type: "failed", problem: signed.problem };
    // Redraws the form without the typed token.
    drawn = "";
    drawPlace();
    return [...document.querySelectorAll("#token")][0]?.focus();
  }
  fill(places.account, accountNodes(signed.name));
  if (isView(then)) go(then);
  else location.assign(then);
}

async function signOut(): Promise<void> {
  const signed = await askSession("DELETE");
  notSignedOut = "problem" in signed ? `⚠ not signed out: ${signed.problem.problem}` : "";
  if (notSignedOut !== "") return drawAges();
  fill(places.account, []);
  go("/sign-in");
}

/** Shows the signed-in person. A person who is not signed in is sent to the sign-in by the first question. */
async function showAccount(): Promise<void> {
  const name = await account.ask();
  if (name !== undefined) fill(places.account, accountNodes(name));
}

serveKeys(document, places.keys);

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    clearTimeout(timer);
    news?.end();
    return;
  }
  news?.begin();
  void ask();
});
addEventListener("popstate", arrive);
setInterval(() => (isDrawingDue ? drawPlace() : drawAges()), 5000);
if (!document.hidden) news?.begin();
arrive();
void showAccount();
