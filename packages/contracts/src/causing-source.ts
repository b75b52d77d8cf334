import { rollReasons } from "@fleet-reloader/domain/plan/reasons";
import * as z from "zod";

/** A text that is not empty. */
export const name = z.string().min(1);

/** Identity of a source. */
export const source = z.object({
  kind: z.enum(["ConfigMap", "Secret", "SecretProviderClass"]),
  namespace: name,
  name,
});

/** Sources that are the cause of something. */
export const causingSources = z.array(
  source.extend({
    change: z.exactOptional(name),
    reason: z.exactOptional(z.enum(rollReasons.map(({ reason }) => reason))),
  }),
);
