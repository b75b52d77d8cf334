import type { CompilePattern } from "@fleet-reloader/domain/annotation/name-list";
import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";
import { patternCost } from "./pattern-cost.ts";

/** Compiled patterns are cached: every change in a namespace needs the same ones again. */
const compiledMax = 1000;

/** About a millisecond: enough for a thousand letters, a class for each letter of the longest name (`[a-z0-9.-]{253}`), or seven Unicode classes. */
const patternCostMax = 1024;

/** RE2 semantics and linear time, in JavaScript: a tenant's pattern can be wrong but never slow. */
export function createPatternCompiler(): CompilePattern {
  // When there are too many patterns, those in use stay; otherwise each would be compiled again and again.
  const remembered = new LRUCache<string, ReturnType<CompilePattern>>({
    max: compiledMax,
    memoMethod: (source) => compileAnchored(source),
  });
  return (source) => remembered.memo(source);
}

function compileAnchored(source: string): ReturnType<CompilePattern> {
  const cost = patternCost(source);
  // It was only read, so only its length counts.
  if (cost > patternCostMax) return { cost: source.length, invalid: tooCostlyAlone };
  try {
    const pattern = RE2JS.compile(source);
    return { cost, matches: (text) => pattern.matcher(text).find() };
  } catch (error) {
    // An invalid pattern may have a lower estimate than the cost of reading it.
    const spent = Math.max(cost, source.length);
    return { cost: spent, invalid: error instanceof Error ? error.message : "no RE2 pattern" };
  }
}

const tooCostlyAlone = "too costly to match: fewer or smaller repetitions, or several items, are needed";
