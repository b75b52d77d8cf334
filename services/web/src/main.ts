import type { ApiProblem } from "@fleet-reloader/contracts/api/api-problem";
import { type PlaceAnswer, placeView } from "./answer.ts";
import { waitBefore } from "./backoff.ts";
import { type DrawnDocument, draw } from "./draw.ts";
import { freshness, navigation, titleOf } from "./frame.ts";
import { placeOfAddress, questionOf } from "./place.ts";
import type { ViewNode } from "./view-node.ts";

/** What of a browser is used. The types of a whole DOM would reach every package. */
interface PageElement {
  textContent: string | null;
  readonly tagName: string;
  append(...children: readonly PageElement[]): void;
  replaceChildren(...children: readonly PageElement[]): void;
  setAttribute(name: string, value: string): void;
  getAttribute(name: string): string | null;
  closest(selector: string): PageElement | null;
  focus(): void;
}
interface PageEvent {
  readonly target: PageElement | null;
  readonly key?: string;
  readonly button?: number;
  readonly altKey?: boolean;
  readonly ctrlKey?: boolean;
  readonly metaKey?: boolean;
  readonly shiftKey?: boolean;
  preventDefault(): void;
}
interface PageDocument extends DrawnDocument<PageElement> {
  title: string;
  readonly hidden: boolean;
  readonly activeElement: PageElement | null;
  getElementById(id: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
}
declare const document: PageDocument;
declare const location: { readonly pathname: string; readonly search: string; readonly origin: string };
declare const history: { pushState(state: null, title: string, address: string): void };
declare const addEventListener: (type: string, listener: () => void) => void;
declare const scrollTo: (x: number, y: number) => void;

const places = {
  navigation: document.getElementById("navigation"),
  page: document.getElementById("page"),
  age: document.getElementById("age"),
};

let answer: PlaceAnswer = { type: "loading" };
let shownMs: number | undefined;
let failures = 0;
let drawn = "";
let asking = new AbortController();
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Draws what is known of the place. What looks the same as before is left alone, so that focus and selection stay; so is everything while
 * somebody fills in a filter.
 */
function drawPlace(): void {
  const place = placeOfAddress(location.pathname, location.search);
  document.title = titleOf(place);
  const nodes = placeView(place, answer, location.pathname, Date.now());
  const text = JSON.stringify(nodes);
  const isFilling = drawn !== "" && isInForm(document.activeElement);
  if (text !== drawn && !isFilling) {
    const focused = document.activeElement?.getAttribute("href") ?? undefined;
    fill(places.navigation, [navigation(place)]);
    fill(places.page, nodes);
    drawn = text;
    if (focused !== undefined)
      [...document.querySelectorAll("a[href]")].find((a) => a.getAttribute("href") === focused)?.focus();
  }
  if (places.age) places.age.textContent = freshness(shownMs, Date.now(), failures > 0);
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
  const asked = await answerTo(question, signal);
  if (signal.aborted) return;
  failures = asked.type === "failed" ? failures + 1 : 0;
  // An answer that is there stays, with its age.
  if (asked.type === "answered") shownMs = Date.now();
  if (asked.type === "answered" || answer.type !== "answered") answer = asked;
  if (!document.hidden) timer = setTimeout(() => void ask(), waitBefore(place, failures, Math.random()));
  drawPlace();
}

async function answerTo(question: string, signal: AbortSignal): Promise<PlaceAnswer> {
  try {
    const response = await fetch(question, { signal, headers: { accept: "application/json" } });
    const body: unknown = await response.json();
    return response.ok ? { type: "answered", body } : { type: "failed", problem: body as ApiProblem };
  } catch {
    const problem = "fleet-reloader does not answer.";
    const mend =
      "Check that its process runs and that the port is still forwarded. The page asks again by itself.";
    return { type: "failed", problem: { code: "page.unanswered", problem, mend } };
  }
}

/** Another place: nothing of the former one is shown for it. */
function arrive(): void {
  answer = { type: "loading" };
  shownMs = undefined;
  failures = 0;
  drawn = "";
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
  /^\/($|\?|(changes|clusters|held|workloads|sources)([/?]|$))/.test(address);

document.addEventListener("click", (event) => {
  const address = event.target?.closest("a[href]")?.getAttribute("href") ?? "";
  const isPlain = event.button === 0 && !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (!isPlain || !isView(address)) return;
  event.preventDefault();
  go(address);
});

/** `/` goes to the first filter, `j` and `k` to the next and the former row. */
document.addEventListener("keydown", (event) => {
  const { altKey, ctrlKey, key, metaKey, target } = event;
  if (altKey || ctrlKey || metaKey || target?.tagName === "INPUT") return;
  if (key === "/") {
    const [first] = document.querySelectorAll("form input");
    if (first === undefined) return;
    event.preventDefault();
    first.focus();
  }
  if (key === "j" || key === "k") {
    const rows = [...document.querySelectorAll("tbody th a, tbody td:first-child a")];
    const active = document.activeElement;
    const at = active === null ? -1 : rows.indexOf(active);
    const next = key === "j" ? at + 1 : at - 1;
    rows[Math.max(0, Math.min(rows.length - 1, next))]?.focus();
  }
});

document.addEventListener("visibilitychange", () => {
  if (document.hidden) clearTimeout(timer);
  else void ask();
});
addEventListener("popstate", arrive);
setInterval(drawPlace, 5000);
arrive();
