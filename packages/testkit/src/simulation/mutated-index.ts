import {
  type Checkpoints,
  goneVersion,
  type ReferenceIndex,
} from "@fleet-reloader/engine/ports/reference-index";

// Reference indexes with one promise taken out, for mutants.

/** What appears is a change like any other, which waits for quiet. */
export function asChanges(index: ReferenceIndex): ReferenceIndex["findChanged"] {
  return async (sources) =>
    (await index.findChanged(sources)).map((change) => ({ ...change, isFirst: false }));
}

/** Nobody hears of deletions. */
export function withoutGone(index: ReferenceIndex): ReferenceIndex["findChanged"] {
  return (sources) =>
    index.findChanged(sources.filter(({ resourceVersion }) => resourceVersion !== goneVersion));
}

/** A checkpoint is written before the queue holds the requests. */
export function checkpointFirst(index: ReferenceIndex & Checkpoints): ReferenceIndex {
  return overriding(index, {
    findChanged: async (asked) => {
      const changed = await index.findChanged(asked);
      await index.markHandled(changed.map(({ source }) => source));
      return changed;
    },
  });
}

/** Everything else is as it was. */
export function overriding(index: ReferenceIndex, other: Partial<ReferenceIndex>): ReferenceIndex {
  return {
    put: (...given) => index.put(...given),
    remove: (...given) => index.remove(...given),
    keys: (...given) => index.keys(...given),
    retain: (...given) => index.retain(...given),
    retainServed: (...given) => index.retainServed(...given),
    findChanged: (...given) => index.findChanged(...given),
    ...other,
  };
}
