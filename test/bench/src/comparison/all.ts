import type { Benchmark } from "../benchmark.ts";
import type { PeerProgram } from "../tool/peer.ts";
import { compareFanOut } from "./fan-out.ts";
import { compareSingleChange } from "./single-change.ts";

/** Benchmarks whose scenarios need nothing of a reloader but that it rolls; they run in turn with ours. */
export function comparisonsWith(peer: PeerProgram | undefined): readonly Benchmark[] {
  return [
    {
      id: "B01",
      title: "One change, one idle Deployment",
      run: (context) => compareSingleChange(context, peer),
    },
    {
      id: "B03",
      title: "One change, many dependents",
      run: (context) => compareFanOut(context, peer),
    },
  ];
}
