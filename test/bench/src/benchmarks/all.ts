import type { Benchmark } from "../benchmark.ts";
import { singleChange } from "./b01-single-change.ts";
import { namespaceSize } from "./b02-namespace-size.ts";
import { fanOut } from "./b03-fan-out.ts";
import { budget } from "./b04-budget.ts";
import { burst } from "./b05-burst.ts";
import { severalSources } from "./b06-several-sources.ts";
import { noOpStorm } from "./b07-no-op-storm.ts";
import { memory } from "./b08-memory.ts";
import { coldStart } from "./b09-cold-start.ts";
import { warmRestart } from "./b10-warm-restart.ts";
import { fleet } from "./b11-fleet.ts";
import { noisyNeighbour } from "./b12-noisy-neighbour.ts";
import { sickClusters } from "./b12-sick-clusters.ts";
import { scaleOut } from "./b13-scale-out.ts";
import { scaleFromZero } from "./b14-scale-from-zero.ts";
import { recovery } from "./b15-recovery.ts";
import { referenceIndex } from "./b18-reference-index.ts";
import { redisCost } from "./b19-redis-cost.ts";
import { queueCeiling } from "./b20-queue-ceiling.ts";
import { dashboard } from "./b21-dashboard.ts";
import { auditIngest } from "./b22-audit-ingest.ts";
import { start } from "./b23-start.ts";
import { questions } from "./b24-questions.ts";
import { exits } from "./b25-exits.ts";
import { adoption } from "./b26-adoption.ts";
import { firstPaint } from "./b27-first-paint.ts";
import { besideDashboard } from "./b28-beside-dashboard.ts";
import { byHand } from "./b29-by-hand.ts";
import { healthyFanOut } from "./b30-healthy-fan-out.ts";

export const benchmarks: readonly Benchmark[] = [
  singleChange,
  namespaceSize,
  fanOut,
  budget,
  burst,
  severalSources,
  noOpStorm,
  memory,
  coldStart,
  warmRestart,
  fleet,
  noisyNeighbour,
  sickClusters,
  scaleOut,
  scaleFromZero,
  recovery,
  referenceIndex,
  redisCost,
  queueCeiling,
  dashboard,
  auditIngest,
  start,
  questions,
  exits,
  adoption,
  firstPaint,
  besideDashboard,
  byHand,
  healthyFanOut,
];
