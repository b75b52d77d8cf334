import { describe } from "vitest";
import { sharingTests } from "./scenarios/sharing.ts";

describe.concurrent("watchers that share clusters, on simulated API servers", () => sharingTests());
