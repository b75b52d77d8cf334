import { Api } from "./api.ts";
import { checkAccess } from "./checks/access.ts";
import { checkApply } from "./checks/apply.ts";
import { checkControllers } from "./checks/controllers.ts";
import { checkCreation } from "./checks/creation.ts";
import { checkCustomResources } from "./checks/custom-resources.ts";
import { checkDeletion } from "./checks/deletion.ts";
import { checkExpiry } from "./checks/expiry.ts";
import { checkLists } from "./checks/lists.ts";
import { checkPatches } from "./checks/patches.ts";
import { checkProtocol } from "./checks/protocol.ts";
import { checkRepresentations } from "./checks/representations.ts";
import { checkStrategicMerge } from "./checks/strategic-merge.ts";
import { checkUpdates } from "./checks/updates.ts";
import { checkValidation } from "./checks/validation.ts";
import { checkWatches } from "./checks/watches.ts";
import type { Target } from "./target.ts";

/** Declares every check. Those that expire the server's history come last: they may restart it. */
export function checkAll(target: () => Target): void {
  const api = new Api(target);
  checkProtocol(api);
  checkAccess(api);
  checkCreation(api);
  checkUpdates(api);
  checkPatches(api);
  checkStrategicMerge(api);
  checkApply(api);
  checkValidation(api);
  checkDeletion(api);
  checkLists(api);
  checkRepresentations(api);
  checkWatches(api);
  checkControllers(api);
  checkCustomResources(api);
  checkExpiry(api);
}
