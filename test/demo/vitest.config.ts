import { defineConfig } from "vitest/config";

/** The judging of outcomes and the reading of flags; the story itself is its own test: `./dev demo --once`. */
export default defineConfig({ test: { include: ["src/**/*.test.ts"] } });
