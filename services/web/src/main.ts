import { serveActs } from "./acts/page-acts.ts";
import { Permissions } from "./acts/permissions.ts";
import { type PlaceAnswer, placeView } from "./answer.ts";
import { askApi } from "./ask-api.ts";
import { waitBefore } from "./backoff.ts";
import type { PageDocument, PageElement } from "./browser.ts";
import { draw } from "./draw.ts";
import { freshness, navigation, staleness, titleOf } from "./frame.ts";
import { placeOfAddress, questionOf } from "./place.ts";
import { elementsOf, type ViewNode } from "./view-node.ts";

declare const document: PageDocument;
declare const location: { readonly pathname: string; readonly search: string; readonly origin: string };
declare const history: { pushState(state: null, title: string, address: string): void };
declare const addEventListener: (type: string, listener: () => void) => void;
declare const scrollTo: (x: number, y: number) => void;

const places = {
  navigation: document.getElementById("navigation"),
  page: document.getElementById("page"),
  age: document.getElementById("age"),
  trouble: document.getElementById("trouble"),
  keys: document.getElementById("keys"),
  act: document.getElementById("act"),
};
const permissions = new Permissions();

let answer: PlaceAnswer = { type: "loading" };
/** When the answer came, and when the one came that is drawn. */
let answeredMs: number | undefined;
let shownMs: number | undefined;
let failures = 0;
let drawn = "";
let asking = new AbortController();
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Draws what is known of the place. What looks the same as before is left alone but for its ages, so that focus and selection stay; so is
 * everything while somebody fills in a filter or acts.
 */
function drawPlace(): void {
  const place = placeOfAddress(location.pathname, location.search);
  document.title = titleOf(place);
  const nodes = placeView(place, answer, location.pathname, Date.now(), (where) => permissions.of(where));
  const text = ageless(nodes);
  const isFilling = drawn !== "" && (isInForm(document.activeElement) || isActing());
  if (!isFilling) shownMs = answeredMs;
  if (text === drawn) drawAges(nodes);
  else if (!isFilling) {
    const focused = focusNames(document.activeElement);
    fill(places.navigation, [navigation(place)]);
    fill(places.page, nodes);
    drawn = text;
    if (focused !== "")
      [...document.querySelectorAll("a[href], button[aria-label], [tabindex='0']")]
        .find((one) => focusNames(one) === focused)
        ?.focus();
  }
  showText(places.age, freshness(shownMs, Date.now()));
  showText(places.trouble, staleness(shownMs, failures > 0));
  if (places.act !== null) void askPermissions();
}

/** A view that offers acts is drawn again with those that somebody may do. Where nobody can act, the shell has no dialog for it. */
async function askPermissions(): Promise<void> {
  const { signal } = new AbortController();
  if (await permissions.ask((question) => askApi(question, signal))) drawPlace();
}

function isActing(): boolean {
  return typeof places.act?.getAttribute("open") === "string";
}

/** Two drawings with the same text differ in the ages of the same times at most. */
function ageless(nodes: readonly ViewNode[]): string {
  return JSON.stringify(nodes, (_, value) => (value?.tag === "time" ? value.attributes : value));
}

function drawAges(nodes: readonly ViewNode[]): void {
  const times = nodes.flatMap((node) => elementsOf(node, "time"));
  for (const [at, element] of [...document.querySelectorAll("main time")].entries())
    showText(element, times[at]?.children.join("") ?? "");
}

/** What tells an element that takes the focus from the others; empty: nothing. */
function focusNames(element: PageElement | null): string {
  const names = ["href", "aria-label"].flatMap((name) => element?.getAttribute(name) ?? []);
  return names.join(" ");
}

/** What is not another text is not read out again. */
function showText(element: PageElement | null, text: string): void {
  if (element !== null && element.textContent !== text) element.textContent = text;
}

function isInForm(element: PageElement | null): boolean {
  return element !== null && element.closest("form") !== null;
}

function fill(element: PageElement | null, nodes: readonly ViewNode[]): void {
  element?.replaceChildren(...nodes.map((node) => draw(node, document)));
}

/** Asks for the place, shows the answer, and asks again later as long as somebody may look. */
async function ask(): Promise<void> {
  clearTimeout(timer);
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const place = placeOfAddress(location.pathname, location.search);
  const question = questionOf(place);
  if (question === undefined) return drawPlace();
  const asked = await askApi(question, signal);
  if (signal.aborted) return;
  failures = asked.type === "failed" ? failures + 1 : 0;
  // An answer that is there stays, with its age.
  if (asked.type === "answered") answeredMs = Date.now();
  if (asked.type === "answered" || answer.type !== "answered") answer = asked;
  if (!document.hidden) timer = setTimeout(() => void ask(), waitBefore(place, failures, Math.random()));
  drawPlace();
}

/** Another place: nothing of the former one is shown for it. */
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

/** Views of this page; the queue and the history are pages of their own. */
const isView = (address: string) =>
  /^\/($|\?|(changes|clusters|held|queue|workloads|sources)([/?]|$))/.test(address);

serveActs(document, () => void ask());

document.addEventListener("click", (event) => {
  if (event.target?.closest("#help")) return places.keys?.showModal?.();
  const address = event.target?.closest("a[href]")?.getAttribute("href") ?? "";
  const isPlain = event.button === 0 && !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (!isPlain || !isView(address)) return;
  event.preventDefault();
  go(address);
});

/** `/` goes to the first filter, `j` and `k` to the next and the former row, `?` shows the keys. */
document.addEventListener("keydown", (event) => {
  const { altKey, ctrlKey, key, metaKey, target } = event;
  if (altKey || ctrlKey || metaKey || target?.closest("input, dialog")) return;
  if (key === "?") places.keys?.showModal?.();
  if (key === "/") {
    const [first] = document.querySelectorAll("form input");
    if (first === undefined) return;
    event.preventDefault();
    first.focus();
  }
  if (key === "j") focusRow(1);
  if (key === "k") focusRow(-1);
});

/** Goes to the row that is so many further on. */
function focusRow(step: number): void {
  const rows = [...document.querySelectorAll("tbody th a, tbody td:first-child a")];
  const active = document.activeElement;
  const at = active === null ? -1 : rows.indexOf(active);
  rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus();
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) clearTimeout(timer);
  else void ask();
});
addEventListener("popstate", arrive);
setInterval(drawPlace, 5000);
arrive();
