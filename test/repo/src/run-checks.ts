import { checkSteps } from "./checks.ts";
import { close } from "./step.ts";

close(await checkSteps());
