import { adoption, quietEnd } from "./adoption.ts";
import { burst } from "./burst.ts";
import { cloudConfigRotation } from "./cloud-config.ts";
import { lateConfigMap } from "./late-config-map.ts";
import { renewal } from "./renewal.ts";
import { refresh, rotation } from "./rotation.ts";
import type { Step } from "./step.ts";
import { validation } from "./validation.ts";
import { correctedName, wrongName } from "./wrong-name.ts";

/** In this order: a step may build on what the ones before it left. */
export const story: readonly Step[] = [
  adoption,
  lateConfigMap,
  wrongName,
  correctedName,
  burst,
  refresh,
  rotation,
  renewal,
  cloudConfigRotation,
  validation,
  quietEnd,
];
